from engine.sweep.tokenizing import Piece, count_broken, count_text


class Letters:
    """Cuts a string into code points between two ends."""

    def cut(self, string: str) -> list[Piece]:
        middle = [Piece(sign, at, at + 1, is_unknown=sign == "?") for at, sign in enumerate(string)]
        ends = [Piece(name, None, None, is_unknown=False, is_special=True) for name in ("<s>", "</s>")]
        return [ends[0], *middle, ends[1]]


def test_tokens_count_ends_and_prompt_but_characters_are_the_texts():
    count = count_text(Letters(), "ab c?", prompt="q: ")
    assert (count.tokens, count.special, count.unknown, count.characters, count.words) == (10, 2, 1, 5, 2)


def test_a_character_of_two_code_points_is_broken_once_when_cut_between_them():
    count = count_text(Letters(), "e\u0301x")
    assert (count.characters, count.broken) == (2, 1)


def test_bytes_of_one_sign_are_broken_but_for_the_last():
    pieces = [Piece(f"<0x{byte:02X}>", 0, 1, is_unknown=False) for byte in "അ".encode()]
    assert count_broken("അ", pieces) == 2
    assert all(piece.is_byte for piece in pieces)


def test_a_sign_that_the_tokenizer_drops_breaks_no_character():
    word = "\u0d15\u0d4d"
    unread = [Piece("[UNK]", 0, 1, is_unknown=True), Piece("[UNK]", 3, 4, is_unknown=True)]
    assert count_broken(f"{word} {word}", unread) == 0


def test_broken_is_unknown_where_no_token_says_its_place():
    assert count_broken("ab", [Piece("ab", None, None, is_unknown=False)]) is None
