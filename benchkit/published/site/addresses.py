"""Addresses of the site's pages: they depend on names alone, so that links stay valid."""

from __future__ import annotations

from benchkit.published.site.shell import page_name


def method_address(name: str) -> str:
    """The page of a registered method."""
    return f"method/{page_name(name)}"


def data_address(name: str) -> str:
    """The page of a registered data set."""
    return f"data/{page_name(name)}"


def paper_address(name: str) -> str:
    """The page of a paper."""
    return f"paper/{page_name(name)}"


def adversary_address(name: str) -> str:
    """The page of a registered adversary."""
    return f"adversary/{page_name(name)}"
