"""Conformance for authors of plugins: the rules behind ``benchkit check``, as tests, and the data they are tried on.

In a plugin's own tests::

    from benchkit.testing import parametrize_with_rules

    @parametrize_with_rules("my_package.plugin")
    def test_conforms(check):
        check()
"""

import lazy_loader

# Every name is imported when it is first used, from where the stub beside this says.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
