import pytest

from engine.errors import SourceError
from engine.triplets.parallel import read_parallel

TABLE = "eng-Latn;mal-Mlym;topic\nthe light;വെളിച്ചം;home\n;വെള്ളം;\nwater;;home\n"


def test_each_column_of_a_language_is_its_texts_beside_their_english():
    found = read_parallel(TABLE.encode("utf-16"), "home.csv")
    assert found.texts == {
        "eng-Latn": [("the light", "the light"), ("water", "water")],
        "mal-Mlym": [("വെളിച്ചം", "the light"), ("വെള്ളം", None)],
    }
    assert (found.encoding, found.delimiter, found.unused) == ("utf-16", "semicolon", ("topic",))


def test_rows_of_another_width_are_named():
    assert [each.line for each in read_parallel(f"{TABLE}only one\n".encode(), "home.csv").problems] == [5]


def test_table_without_a_language_is_refused():
    with pytest.raises(SourceError, match="names a language; its columns are: english, id"):
        read_parallel(b"english,id\na,b\n", "home.csv")
