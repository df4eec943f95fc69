"""Every string is encoded once, and what is kept is what comes back."""

import multiprocessing

import numpy as np
import pytest

from engine.errors import RunFailed
from engine.sweep.vectors import VectorFile, VectorSource
from tests.engine.sweep.fakes import WIDTH, RecordingEncoder, vector_of


@pytest.fixture
def file(tmp_path):
    with VectorFile(tmp_path / "vectors" / "v.sqlite") as opened:
        yield opened


def test_duplicates_are_encoded_once(file):
    source = VectorSource(RecordingEncoder(), file)
    rows = source.fetch(["a", "b", "a", "a"])
    assert sorted(source.encoder.seen) == ["a", "b"]
    assert np.array_equal(rows, np.stack([vector_of(text) for text in "abaa"]))
    assert (source.tally.texts, source.tally.texts_encoded) == (4, 2)


def test_what_was_fetched_before_is_not_encoded_again(file):
    source = VectorSource(RecordingEncoder(), file)
    source.fetch(["a", "b"])
    source.encoder.seen.clear()
    source.fetch(["b", "c"])
    assert source.encoder.seen == ["c"]


def test_nothing_asked_gives_no_rows(file):
    assert VectorSource(RecordingEncoder(), file).fetch([]).shape == (0, WIDTH)


def test_later_process_reads_the_same_bytes_from_the_file(file, tmp_path):
    first = VectorSource(RecordingEncoder(), file).fetch(["a", "b"])
    with VectorFile(tmp_path / "vectors" / "v.sqlite") as again:
        later = VectorSource(RecordingEncoder(), again)
        assert later.fetch(["b", "a"]).tobytes() == first[::-1].tobytes()
        assert later.encoder.seen == []


def test_another_model_gets_nothing_of_the_first_ones(file):
    VectorSource(RecordingEncoder("test/one"), file).fetch(["a"])
    other = VectorSource(RecordingEncoder("test/other"), file)
    other.fetch(["a"])
    assert other.encoder.seen == ["a"]


class Broken(RecordingEncoder):
    """Returns NaN for one text."""

    def encode(self, strings):
        rows = super().encode(strings)
        rows[[string == "bad" for string in strings]] = np.nan
        return rows


def test_bad_vector_is_neither_returned_nor_kept(file):
    with pytest.raises(RunFailed, match="'bad'"):
        VectorSource(Broken(), file).fetch(["good", "bad"])
    assert file.read([RecordingEncoder().identity.key("bad")]) == {}
    assert VectorSource(RecordingEncoder(), file).fetch(["bad"]).shape == (1, WIDTH)


def test_oldest_vectors_go_when_the_file_is_full(tmp_path):
    row = np.ones(1000, np.float32)
    with VectorFile(tmp_path / "v.sqlite", cap=400_000) as file:
        keys = [number.to_bytes(4, "big") for number in range(300)]
        for key in keys:
            file.write({key: row})
        kept = file.read(keys)
        assert keys[-1] in kept
        assert keys[0] not in kept
        assert 0 < len(kept) * row.nbytes <= 400_000


def test_more_keys_than_one_query_takes_are_read(tmp_path):
    vectors = {number.to_bytes(4, "big"): np.full(2, number, np.float32) for number in range(1200)}
    with VectorFile(tmp_path / "v.sqlite") as file:
        file.write(vectors)
        read = file.read(list(vectors))
    assert read.keys() == vectors.keys()
    assert all(np.array_equal(read[key], row) for key, row in vectors.items())


def _write_many(path, value, start):
    with VectorFile(path) as file:
        start.wait()
        for number in range(200):
            file.write({number.to_bytes(4, "big"): np.full(8, value, np.float32)})


def test_several_processes_write_the_same_keys_and_lose_none(tmp_path):
    spawn = multiprocessing.get_context("spawn")
    start = spawn.Barrier(3)
    writers = [spawn.Process(target=_write_many, args=(tmp_path / "v.sqlite", value, start)) for value in (1, 2, 3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    with VectorFile(tmp_path / "v.sqlite") as file:
        kept = file.read([number.to_bytes(4, "big") for number in range(200)])
    assert len(kept) == 200
    assert all(len(set(row.tolist())) == 1 for row in kept.values()), "no vector is a mixture of two writers'"


class Cramped(RecordingEncoder):
    """Has memory for so many texts at a time, and says like torch when there is none."""

    def __init__(self, room, device="cpu"):
        super().__init__()
        self.room, self.device, self.refused = room, device, 0

    def encode(self, strings):
        if len(strings) > self.room:
            self.refused += 1
            raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return super().encode(strings)


@pytest.mark.parametrize("device", ["cpu", "cuda:1"])
def test_batches_halve_when_memory_runs_out_and_nothing_is_lost(device, file):
    texts = [f"text {n}" for n in range(300)]
    source = VectorSource(Cramped(7, device), file)
    rows = source.fetch(texts)
    assert np.array_equal(rows, np.stack([vector_of(text) for text in texts]))
    assert source.encoder.refused < 16, "a batch size that did not fit is not tried again"
    refused = source.encoder.refused
    source.fetch([f"{text} again" for text in texts])
    assert source.encoder.refused == refused


def test_text_that_does_not_fit_alone_is_named_and_the_others_go_on(file):
    class NoRoomForLong(RecordingEncoder):
        def encode(self, strings):
            if any(len(string) > 1000 for string in strings):
                raise MemoryError
            return super().encode(strings)

    source = VectorSource(NoRoomForLong(), file)
    with pytest.raises(RunFailed, match=r"no memory for the text \w{12} 'long long .* of 10,000 characters alone"):
        source.fetch(["short", "long " * 2000])
    assert source.fetch(["short"]).shape == (1, WIDTH)


def test_other_faults_of_a_model_are_no_lack_of_memory(file):
    class Faulty(RecordingEncoder):
        def encode(self, strings):
            raise RuntimeError("shapes cannot be multiplied")

    with pytest.raises(RuntimeError, match="shapes"):
        VectorSource(Faulty(), file).fetch(["a", "b"])


def test_memory_is_bounded_and_the_file_serves_what_left_it(file):
    texts = [f"text {n}" for n in range(200)]
    source = VectorSource(RecordingEncoder(), file, memory_cap=10_000)
    first = source.fetch(texts)
    assert 0 < sum(row.nbytes for row in source._memory.values()) < 10_000
    assert source.fetch(texts).tobytes() == first.tobytes()
    assert len(source.encoder.seen) == 200


@pytest.mark.parametrize("damage", ["folder is a file", "no database", "full"])
def test_file_that_fails_costs_encoding_and_no_result(damage, tmp_path):
    path = tmp_path / "vectors" / "v.sqlite"
    if damage == "folder is a file":
        path.parent.write_text("")
    elif damage == "no database":
        path.parent.mkdir()
        path.write_bytes(b"nothing of the kind" * 1000)
    with VectorFile(path) as file:
        if damage == "full":
            file._connection.execute("pragma max_page_count = 8")
        texts = [f"text {n}" for n in range(2000)]
        source = VectorSource(RecordingEncoder(), file)
        assert np.array_equal(source.fetch(texts), np.stack([vector_of(text) for text in texts]))
        assert "no longer kept" in file.problem
        assert source.fetch(texts[-1:]).shape == (1, WIDTH)
    assert len(source.encoder.seen) == 2000
