"""Sets in files: edited by several hands, never overwritten, checked, brought in and taken out in any form."""

import json

import pytest

from engine.errors import UsageError
from engine.settings import Settings
from engine.triplets import checks, exchange
from engine.triplets.files import begin_set, read_set, save_set, set_names, visitors_set
from engine.triplets.items import GlossedText, TripletItem, parse_item

ITEM = TripletItem("007", "eng-Latn", "the cat sat", (GlossedText("a cat was sitting"),), (GlossedText("the bat sat"),))


def item(**more):
    return parse_item({**ITEM.as_record(), **more})


def test_set_round_trips_with_ids_that_keep_their_zeros(settings):
    begin_set(settings, "mine")
    save_set(settings, "mine", [ITEM], read_set(settings, "mine").digest)
    found = read_set(settings, "mine")
    assert found.items == (ITEM,) and "mine" in set_names(settings)


def test_changed_file_is_not_overwritten(settings):
    begin_set(settings, "mine")
    before = read_set(settings, "mine").digest
    save_set(settings, "mine", [ITEM], before)
    with pytest.raises(UsageError, match="changed meanwhile"):
        save_set(settings, "mine", [], before)
    assert read_set(settings, "mine").items == (ITEM,)


def test_lines_that_are_no_items_are_named_and_kept(settings):
    path = settings.data / "triplets" / "mine.jsonl"
    path.parent.mkdir(parents=True)
    good = json.dumps(ITEM.as_record())
    path.write_text(f'{good}\n{{"id": "8"}}\nnot json\n{good}\n', encoding="utf-8")
    found = read_set(settings, "mine")
    assert [reject.line for reject in found.rejects] == [2, 3, 4]
    save_set(settings, "mine", [item(note="x")], found.digest)
    assert len(read_set(settings, "mine").rejects) == 3


def test_line_in_another_encoding_is_named_and_keeps_its_bytes(settings):
    path = settings.data / "triplets" / "mine.jsonl"
    path.parent.mkdir(parents=True)
    good, broken = (json.dumps(item(id=name, note="größer").as_record(), ensure_ascii=False) for name in ("1", "2"))
    path.write_bytes(b"\xef\xbb\xbf" + good.encode() + b"\n" + broken.encode("cp1252") + b"\n" + b"[" * 100_000 + b"\n")
    found = read_set(settings, "mine")
    assert [each.item_id for each in found.items] == ["1"] and [each.line for each in found.rejects] == [2, 3]
    assert "no UTF-8" in found.rejects[0].reason
    save_set(settings, "mine", found.items, found.digest)
    assert path.read_bytes() == good.encode() + b"\n" + broken.encode("cp1252") + b"\n" + b"[" * 100_000 + b"\n"
    again = read_set(settings, "mine")
    save_set(settings, "mine", again.items, again.digest)


@pytest.mark.parametrize("flaw", ["a\0b", "half \ud83d", "lost \ufffd", "a\x1bb"])
def test_line_with_a_sign_that_is_no_text_is_refused(settings, flaw):
    path = settings.data / "triplets" / "mine.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({**ITEM.as_record(), "anchor": flaw}) + "\n", "utf-8")
    found = read_set(settings, "mine")
    assert found.items == () and found.rejects[0].reason.startswith("anchor holds")


@pytest.mark.parametrize("name", ["../x", "", "a b", "a" * 65, "-a"])
def test_names_that_are_no_file_names_are_refused(settings, name):
    with pytest.raises(UsageError, match="expected letters"):
        begin_set(settings, name)


def test_read_only_dashboard_takes_visitors_drafts_alone(settings):
    readonly = Settings(data=settings.data, readonly=True)
    with pytest.raises(UsageError, match="read-only"):
        begin_set(readonly, "mine")
    name = visitors_set("anju")
    save_set(readonly, name, [ITEM], read_set(readonly, name).digest)
    assert read_set(readonly, name).items == (ITEM,) and name not in set_names(readonly)


@pytest.mark.parametrize(
    ("more", "level", "words"),
    [
        ({"positives": [{"text": "the cat sat "}]}, "error", "same text"),
        ({"negatives": [{"text": "a cat was sitting"}]}, "error", "keep one"),
        ({"anchor": "caf\u00e9", "negatives": [{"text": "cafe\u0301"}]}, "error", "base itself"),
        ({"negatives": [{"text": "b"}, {"text": "b"}]}, "error", "twice"),
        ({"language": "mal-Mlym"}, "warning", "not in the script"),
        ({"negatives": [{"text": "xylophone quartz"}]}, "hint", "differs in"),
        ({"negatives": [{"text": "a"}]}, "hint", "length alone"),
    ],
)
def test_checks_say_what_is_amiss(more, level, words):
    assert any(each.level == level and words in each.words for each in checks.problems(item(**more)))


def test_joiners_and_chillu_letters_are_no_errors():
    joined = item(
        language="mal-Mlym", anchor="അവൻ\u200c വന്നു", positives=["അവൻ എത്തി"], negatives=["അവൾ വന്നു", "ന്\u200d വന്നു"]
    )
    assert not [each for each in checks.problems(joined) if each.level == "error"]
    assert checks.clusters("ക്ഷ") == ["ക്ഷ"] and checks.distance("കാക്ക", "കാക") == 1
    assert checks.clusters("അവൻ\u200c") == ["അ", "വ", "ൻ\u200c"]


@pytest.mark.parametrize(
    ("language", "right", "wrong"),
    [
        ("mal-Mlym", "ആനപ്പുറത്ത് 12", "हाथी"), ("jpn-Jpan", "象の上、ゾウ", "слон"), ("kor-Kore", "코끼리 象", "ゾウの"),
        ("zho-Hant", "大象", "코끼리"), ("div-Thaa", "އިނގިރޭސި", "elephant"), ("sat-Olck", "ᱥᱟᱱᱛᱟᱲᱤ", "हाथी"),
        ("eng-Latn", "elephant №5", "слон"),
    ],
)  # fmt: skip
def test_texts_in_another_script_than_their_language_are_pointed_out(language, right, wrong):
    def scripts_of(text):
        found = checks.problems(item(language=language, anchor=text, positives=[text + "."], negatives=[text + "!"]))
        return [each.words for each in found if each.field == "language"]

    assert scripts_of(right) == [] and len(scripts_of(wrong)) == 3


@pytest.mark.parametrize("language", ["und", "eng", "eng-Xxxx", "123", "ml"])
def test_language_that_names_no_script_is_not_checked_for_one(language):
    assert not [each for each in checks.problems(item(language=language)) if each.field == "language"]


@pytest.mark.parametrize("form", exchange.FORMS)
def test_items_leave_and_come_back_in_every_form(form):
    several = item(negatives=[{"text": "the bat sat", "gloss": ""}, {"text": 'a "quoted", text', "gloss": ""}])
    back = exchange.read_items(exchange.exported([several], form).encode("utf-8"), f"x.{form}")
    assert not back.problems
    (found,) = back.items
    assert found.texts == several.texts
    assert form == "triplets.csv" or found == several


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_tables_of_any_encoding_and_delimiter_are_read(encoding, delimiter):
    lines = [["id", "anchor", "positive", "negative"], ["007", "ആന", "ഗജം", "ആണ"], ["8", "", "x", "y"], ["9", "only"]]
    content = "\n".join(delimiter.join(line) for line in lines).encode(encoding)
    found = exchange.read_items(content, "brought.csv")
    assert [each.item_id for each in found.items] == ["007"]
    assert {(each.line, each.column) for each in found.problems} == {(3, "anchor"), (4, "")}


def test_taken_ids_are_refused_by_row_and_column():
    content = "id,anchor,positive,negative\n007,a,b,c\n"
    (problem,) = exchange.read_items(content.encode(), "x.csv", [ITEM]).problems
    assert (problem.line, problem.column) == (2, "id")


def test_unknown_set_is_said(settings):
    with pytest.raises(UsageError, match="No triplet set"):
        read_set(settings, "none")


def test_long_texts_are_compared_while_somebody_types():
    word = "ward " * 19_000
    long = item(anchor="word " * 19_000, positives=["word " * 18_000], negatives=[word])
    assert [each.field for each in checks.problems(long)] == []
    page = "abcde" * 900
    assert checks.distance(page, "b" + page[1:]) == 1 and checks.distance("", "abc") == checks.distance("abc", "") == 3
    assert checks.distance("kitten", "sitting") == 3 and checks.distance("abc", "cab") == 2


@pytest.mark.parametrize("language", ["en", "und-Zzzz"])
def test_letters_of_a_language_without_a_script_are_not_judged(language):
    assert not [each for each in checks.problems(item(language=language, anchor="dog")) if each.field == "language"]
    assert checks.letter_of(language.partition("-")[2]) is None


@pytest.mark.parametrize(
    ("name", "content", "column", "words"),
    [
        ("a.csv", "anchor,positive,negative\na,a,b\n", "positives", "same text"),
        ("a.csv", "anchor,positive,negative\na,\u200b,b\n", "positives", "expected a text"),
        ("a.csv", "anchor,positive,negative\n\u2060,b,c\n", "anchor", "expected a text"),
        ("a.csv", "anchor,positive,negative\n,b,c\n", "anchor", "anchor is empty"),
        ("a.jsonl", '{"anchor": "a", "positive": "b", "negative": ["c", "d"]}\n', "negative", "holds a list"),
    ],
)
def test_import_refuses_what_saving_refuses(name, content, column, words):
    found = exchange.read_items(content.encode(), name)
    assert not found.items
    assert [(each.column, words in each.reason) for each in found.problems] == [(column, True)]


def test_stray_zero_byte_is_named_by_row_and_column():
    found = exchange.read_items(b"anchor,positive,negative\n1\x00a,b,c\n", "a.csv")
    assert [(each.line, each.column) for each in found.problems] == [(2, "anchor")]


def test_spaces_around_an_id_do_not_make_another():
    content = b"id,anchor,positive,negative\n 007 ,a,b,c\n007,d,e,f\n"
    found = exchange.read_items(content, "a.csv")
    assert [each.item_id for each in found.items] == ["007"] and [each.line for each in found.problems] == [3]


def test_guessed_encoding_is_said_to_be_a_guess():
    table = "anchor,positive,negative\nкот,кошка,кит\n"
    assert "guess" in exchange.read_items(table.encode("cp1251"), "a.csv").encoding_words
    assert exchange.read_items(table.encode(), "a.csv").encoding_words == "utf-8"


def test_long_name_is_cut_in_the_message(settings):
    with pytest.raises(UsageError, match="at most 64") as refused:
        begin_set(settings, "x" * 300)
    assert len(str(refused.value)) < 200
