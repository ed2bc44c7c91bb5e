"""An archive that a stranger made writes files into its folder and nowhere else."""

import io
import tarfile

import pytest

from benchkit.report.bundle import UnusableArchiveError, unpack


def entry(name, size=0, kind=tarfile.REGTYPE, link=""):
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = size, kind, link
    return info


@pytest.fixture
def make(tmp_path):
    def write(*entries, mode="w:gz", **options):
        path = tmp_path / "b.tar.gz"
        with tarfile.open(path, mode, **options) as archive:
            for info in entries:
                archive.addfile(info, io.BytesIO(bytes(info.size)))
        return path

    return write


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


@pytest.mark.parametrize("mode", ["w:gz", "w"])
def test_files_and_folders_come_out(make, folder, mode):
    unpack(make(entry("a", kind=tarfile.DIRTYPE), entry("a/b", 3), mode=mode), folder)
    assert (folder / "a" / "b").read_bytes() == bytes(3)


@pytest.mark.parametrize(
    ("info", "why"),
    [
        (entry("a/link", kind=tarfile.SYMTYPE, link="/etc/passwd"), "neither a file nor a folder"),
        (entry("a/hard", kind=tarfile.LNKTYPE, link="a/x"), "neither a file nor a folder"),
        (entry("a/pipe", kind=tarfile.FIFOTYPE), "neither a file nor a folder"),
        (entry("../../out-of-it", 3), "outside"),
    ],
)
def test_what_leads_elsewhere_is_refused(make, folder, info, why):
    with pytest.raises(UnusableArchiveError, match=why):
        unpack(make(info), folder)


@pytest.mark.parametrize("content", [b"", b"text", b"\x1f\x8b", b"\x1f\x8b\x08\x00" + bytes(60)])
def test_what_is_no_archive_is_said_in_a_line(tmp_path, folder, content):
    path = tmp_path / "x"
    path.write_bytes(content)
    with pytest.raises(UnusableArchiveError):
        unpack(path, folder)
