import os
from pathlib import Path

import polars as pl
import pytest

from engine.errors import SourceError
from engine.ingest.scan import content_hash, location, result_roots, scan_source
from engine.schema import FILES, SourceKind

EMPTY = FILES.schema.to_frame()
DEFAULT = "results/m__a/r1"
EXPERIMENT = f"{DEFAULT}/experiments/exp_1"


def write(folder: Path, path: str, text: str = "{}") -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text)


@pytest.fixture
def folder(tmp_path):
    for path in ("A.json", "B.json", "model_meta.json", "run_settings.jsonl"):
        write(tmp_path, f"{DEFAULT}/{path}")
    for path in ("A.json", "model_meta.json", "A.record.jsonl"):
        write(tmp_path, f"{EXPERIMENT}/{path}")
    return tmp_path


def scan(folder, ledger=EMPTY, **more):
    return scan_source(folder, SourceKind.CACHE, ledger, **more)


def ledger_of(folder):
    lines = [
        ("s", file.path, file.n_bytes, file.modified_ns, content_hash(folder / file.path))
        for file in scan(folder).found
    ]
    return pl.DataFrame(lines, schema=FILES.schema, orient="row")


def rewrite(path: Path, text: str) -> None:
    """New content of the same length at a later time."""
    before = path.stat().st_mtime_ns
    path.write_text(text)
    os.utime(path, ns=(before + 10**9, before + 10**9))


def test_scan_source_finds_results_and_what_stands_beside_them(folder):
    for other in (
        "README.md",
        "results/paths.json",
        f"{DEFAULT}/notes.txt",
        f"{DEFAULT}/other/C.json",
        ".git/x/y/C.json",
    ):
        write(folder, other)
    first = scan(folder)
    assert [file.path for file in first.found] == sorted(
        [f"{DEFAULT}/{name}" for name in ("A.json", "B.json", "model_meta.json", "run_settings.jsonl")]
        + [f"{EXPERIMENT}/{name}" for name in ("A.json", "A.record.jsonl", "model_meta.json")]
    )
    assert first.changed == tuple(file.path for file in first.found)


def test_scan_source_reads_nothing_when_nothing_changed(folder):
    assert scan(folder, ledger_of(folder)).is_unchanged


def test_scan_source_reads_a_changed_result_alone(folder):
    ledger = ledger_of(folder)
    rewrite(folder / DEFAULT / "A.json", "[]")
    assert scan(folder, ledger).changed == (f"{DEFAULT}/A.json",)


def test_scan_source_does_not_read_a_file_whose_time_alone_changed(folder):
    ledger = ledger_of(folder)
    rewrite(folder / DEFAULT / "A.json", "{}")
    again = scan(folder, ledger)
    assert again.is_unchanged
    assert again.touched["path"].to_list() == [f"{DEFAULT}/A.json"]
    assert again.touched["modified_ns"].to_list() == [(folder / DEFAULT / "A.json").stat().st_mtime_ns]


@pytest.mark.parametrize("name", ["model_meta.json", "run_settings.jsonl"])
def test_scan_source_reads_a_whole_folder_when_its_context_changed(folder, name):
    ledger = ledger_of(folder)
    rewrite(folder / DEFAULT / name, "[]")
    assert set(scan(folder, ledger).changed) == {
        path for path in ledger["path"] if path.startswith(DEFAULT) and "exp" not in path
    }


def test_scan_source_reads_an_experiment_as_a_whole(folder):
    ledger = ledger_of(folder)
    write(folder, f"{EXPERIMENT}/B.json")
    names = ("A.json", "A.record.jsonl", "B.json", "model_meta.json")
    assert scan(folder, ledger).changed == tuple(f"{EXPERIMENT}/{name}" for name in names)


def test_scan_source_names_removed_files(folder):
    ledger = ledger_of(folder)
    (folder / DEFAULT / "B.json").unlink()
    again = scan(folder, ledger)
    assert (again.removed, again.changed) == ((f"{DEFAULT}/B.json",), ())


def test_scan_source_reads_everything_when_local_tasks_changed(folder):
    ledger = ledger_of(folder)
    write(folder, "tasks.json", "[]")
    assert set(scan(folder, ledger).changed) == {*ledger["path"], "tasks.json"}


def test_scan_source_tries_refused_files_again_only_when_something_changed(folder):
    ledger = ledger_of(folder)
    refused = [f"{DEFAULT}/B.json", "gone.json"]
    assert scan(folder, ledger, retry=refused).is_unchanged
    rewrite(folder / DEFAULT / "A.json", "[]")
    assert scan(folder, ledger, retry=refused).changed == (f"{DEFAULT}/A.json", f"{DEFAULT}/B.json")


def test_scan_source_finds_files_that_cannot_be_looked_at(folder):
    (folder / DEFAULT / "C.json").symlink_to("nowhere")
    assert f"{DEFAULT}/C.json" in scan(folder).changed


def test_scan_source_writes_a_name_that_is_not_utf_8_as_escapes(folder):
    with open(os.fsencode(folder / DEFAULT) + b"/\xff.json", "wb"):  # noqa: PTH123 - pathlib takes no bytes
        pass
    assert f"{DEFAULT}/\\udcff.json" in scan(folder).changed


def test_scan_source_follows_links_to_folders_but_not_in_circles(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    write(elsewhere, "r1/A.json")
    (folder / "results" / "m__linked").symlink_to(elsewhere)
    (folder / "results" / "circle").symlink_to(folder / "results")
    found = {file.path for file in scan(folder).found}
    assert {path for path in found if "linked" in path or "circle" in path} == {"results/m__linked/r1/A.json"}


@pytest.mark.parametrize(("below", "root"), [("results", "results"), ("remote/results", "remote/results"), (".", ".")])
def test_result_roots_are_found_where_a_path_points(tmp_path, below, root):
    write(tmp_path, f"{below}/m__a/r1/A.json")
    assert result_roots(tmp_path) == (root,)
    assert len(scan(tmp_path).found) == 1


def test_scan_source_reads_own_and_remote_results_of_one_cache(tmp_path):
    for root in ("results", "remote/results"):
        write(tmp_path, f"{root}/m__a/r1/A.json")
    assert len(scan(tmp_path).found) == 2


def test_scan_source_says_when_a_folder_holds_no_results(tmp_path):
    with pytest.raises(SourceError, match="expected results/<model>/<revision>/<Task>.json"):
        scan(tmp_path)


def test_scan_source_takes_a_frame_as_one_file(tmp_path):
    write(tmp_path, "frame.parquet")
    path = tmp_path / "frame.parquet"
    assert scan_source(path, SourceKind.FRAME, EMPTY).changed == ("frame.parquet",)
    assert location(path, "frame.parquet") == path
    with pytest.raises(SourceError, match="not a file"):
        scan_source(tmp_path / "gone.parquet", SourceKind.FRAME, EMPTY)
