"""A question as the sentences that ask it aloud, and all that is said until it is answered.

The words are in the language packs; an application's own replace any of them. No sentence that ends a prompt ends in a
word that would answer it: our own voice may come back.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, assert_never, cast

from voice_hitl.questions.model import Approval, Choice, Confirm, Form, Number, Question, Text
from voice_hitl.speech.effects import Sentence
from voice_hitl.speech.interpret import interpret
from voice_hitl.speech.languages import PACKS, pack_for
from voice_hitl.speech.lexicon import Tag, lexicon_for
from voice_hitl.speech.marks import marks_of
from voice_hitl.speech.reading import Match
from voice_hitl.speech.values import Values, fields_of, filled, readable, says, titles_of
from voice_hitl.speech.words import split

MAX_SPOKEN = 400
"""Characters of a prompt: what is longer nobody keeps in mind, so it is not asked aloud."""

_SHORT = 120
"""Up to so many characters the whole of an action is said once more for a second yes."""

Why = Literal["no_input", "no_match"]
Hint = Literal["always", "reprompt", "never"]

_SENTENCE = re.compile(r"[^.!?…]+(?:[.!?…]+(?!\d)|[.!?…](?=\d)[^.!?…]*)*[.!?…]*\s*")
_DECISIVE = frozenset({Tag.VALUE, Tag.OTHER, Tag.THING, Tag.FACT, Tag.UNIT})


class Prompts:
    """The sentences of one language, for one dialogue after another.

    Args:
        language: A language tag. A language without a pack is asked in English.
        own: An application's sentences, by key and then by language tag (`{"go_ahead": {"en": "Shall I?"}}`); the keys
            are those of `LanguagePack.prompts`.
        hint: When the keypad is explained: with every prompt, from the first reprompt on, or never.
        keys_only: Whether nothing that is said is an answer: then every prompt asks for the keys.
        yes: The key for a yes.
        no: The key for a no.
    """

    def __init__(
        self,
        language: str = "en",
        own: Mapping[str, Mapping[str, str]] | None = None,
        *,
        hint: Hint = "reprompt",
        keys_only: bool = False,
        yes: str = "1",
        no: str = "2",
    ) -> None:
        pack = pack_for(language)
        self._pack = pack if pack.prompts else PACKS["en"]
        self._language = language
        self._hint: Hint = "always" if keys_only else hint
        self._keys_only = keys_only
        self._keys = {"yes": yes, "no": no}
        self._words = dict(self._pack.prompts)
        for key, texts in (own or {}).items():
            if key not in self._words:
                raise ValueError(f"there is no sentence {key!r}; there are {', '.join(sorted(self._words))}")
            for tag in texts:
                pack_for(tag)  # what is no language is an error here, not a sentence that is never said
            text = texts.get(language) or texts.get(pack.code)
            if text is not None:
                self._words[key] = text
        self._values = Values(self._words, self._pack)

    # --- the question ------------------------------------------------------------------------------------------------

    def asked(self, question: Question) -> tuple[Sentence, ...] | None:
        """The prompt; None where it cannot be asked aloud.

        It cannot where it takes more than `MAX_SPOKEN` characters, or has a nested value that nothing names. A form is
        asked question by question: its prompt is its first question's, where all of them can be asked.
        """
        if isinstance(question, Form):
            each = [self.asked(one) for one in question.questions]
            return None if None in each else each[0]
        sentences = self._question(question)
        if sentences is None:
            return None
        if self._hint == "always":
            sentences += self._key_hint(question)
        return sentences if sum(len(one.text) + 1 for one in sentences) <= MAX_SPOKEN else None

    def _question(self, question: Confirm | Approval | Choice | Number | Text) -> tuple[Sentence, ...] | None:
        match question:
            case Confirm():
                return self._confirm(question)
            case Approval():
                return self._approval(question)
            case Choice():
                numbered = tuple(Sentence(text, decisive=True) for text in self._numbered(question))
                choose = "choose_several" if question.multi else "choose"
                return (*_sentences(question.prompt), *numbered, Sentence(self._words[choose]))
            case Number() | Text():
                sentences = tuple(Sentence(text, decisive=True) for text in _split(question.prompt))
                # Whatever is said answers a text, so no end of it is safer than another.
                return sentences if isinstance(question, Text) else self._safe_end(question, sentences)
            case _:
                assert_never(question)

    def _confirm(self, question: Confirm) -> tuple[Sentence, ...] | None:
        details = self._values.named(question.details, said=question.prompt)
        if details is None:
            return None
        action = question.action or ""
        said = [] if not action or says(question.prompt, action) else [_with_stop(action)]
        texts = _split(question.prompt)
        last = len(texts) - 1
        prompt = [Sentence(text, decisive=index < last or self._is_decisive(text)) for index, text in enumerate(texts)]
        if not any(sentence.decisive for sentence in prompt) and not said and not details:
            prompt[-1] = Sentence(texts[-1], decisive=True)
        if not texts[-1].endswith("?"):
            prompt.append(Sentence(self._words["go_ahead"]))
        decided = [Sentence(text, decisive=True) for text in (*said, *details)]
        return self._safe_end(question, (*decided, *prompt))

    def _approval(self, question: Approval) -> tuple[Sentence, ...] | None:
        if question.speak is not None:
            text = self._values.in_template(question.speak, question.arguments)
            named = {name.split(".")[0] for name in fields_of(question.speak)}
            nested = {name for name, value in question.arguments.items() if self._values.spoken(value) is None}
            if text is None or not nested <= named:
                return None
            decided = [_with_stop(one) for one in _split(text)]
        else:
            details = self._values.named(question.arguments, titles=titles_of(question.parameters))
            if details is None:
                return None
            decided = [_with_stop(question.title or readable(question.tool)), *details]
        sentences = tuple(Sentence(text, decisive=True) for text in decided)
        return self._safe_end(question, (*sentences, Sentence(self._words["go_ahead"])))

    def _is_decisive(self, text: str) -> bool:
        """Whether a sentence has something in it that one could disagree with, beyond "shall I go ahead"."""
        lexicon = lexicon_for(self._pack.code)
        marks = marks_of(split(text, elides=lexicon.pack.elides), lexicon)
        return any(mark.tag in _DECISIVE for mark in marks)

    def _safe_end(self, question: Question, sentences: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
        """The sentences; a neutral one after them where their last word would answer the question."""
        words = split(sentences[-1].text).spoken
        if words and isinstance(interpret(question, words[-1], language=self._language), Match):
            return (*sentences, Sentence(self._words["tail"]))
        return sentences

    # --- again -------------------------------------------------------------------------------------------------------

    def asked_again(self, question: Question, attempt: int, why: Why) -> tuple[Sentence, ...]:
        """A reprompt, shorter and more explicit at each attempt (from 1): what went wrong, then only how to answer.

        What a yes would say yes to is in all of them: whoever hears only a reprompt knows it too.
        """
        confirms = isinstance(question, Confirm | Approval)
        core = self._core(question) if confirms or attempt <= 1 else ()
        lead = (Sentence(self._words[why]),) if attempt <= 1 else ()
        hint = () if self._hint == "never" else self._key_hint(question)
        how = () if (confirms and attempt > 1 and hint) or self._keys_only else self._how(question)
        return (*lead, *core, *how, *hint)

    def _core(self, question: Question) -> tuple[Sentence, ...]:
        if isinstance(question, Choice):
            return _sentences(question.prompt)
        sentences = self.asked(question) or ()
        return tuple(sentence for sentence in sentences if sentence.decisive)

    def _how(self, question: Question) -> tuple[Sentence, ...]:
        match question:
            case Confirm() | Approval():
                return (Sentence(self._words["say_yes_or_no"]),)
            case Choice():
                return (Sentence(self._words["say_option"]),)
            case Number():
                return self._how_to_count(question)
            case Text() | Form():
                return (Sentence(self._words["say_text"]),)
            case _:
                assert_never(question)

    def _how_to_count(self, question: Number) -> tuple[Sentence, ...]:
        if question.digits is not None:
            return (Sentence(self._say("say_digits", count=question.digits)),)
        bounds = {"minimum": question.minimum, "maximum": question.maximum}
        given = {name: f"{value:g}" for name, value in bounds.items() if value is not None}
        key = "between_bounds" if len(given) == 2 else "at_least" if "minimum" in given else "at_most"
        said = (Sentence(self._say(key, **given)),) if given else ()
        return (Sentence(self._words["say_number"]), *said)

    def _key_hint(self, question: Question) -> tuple[Sentence, ...]:
        if self._keys_only and not isinstance(question, Confirm | Approval):
            how = self._keys_of(question) if isinstance(question, Choice) else ()
            return (Sentence(self._words["keys_only"]), *how)
        return self._keys_of(question)

    def _keys_of(self, question: Question) -> tuple[Sentence, ...]:
        match question:
            case Confirm() | Approval():
                return (Sentence(self._say("confirm_keys", **self._keys)),)
            case Choice():
                return (Sentence(self._words["several_keys" if question.multi else "choice_keys"]),)
            case Number():
                return (Sentence(self._words["number_keys" if question.digits is None else "digits_keys"]),)
            case Text() | Form():
                return ()
            case _:
                assert_never(question)

    def between(self, labels: tuple[str, ...]) -> tuple[Sentence, ...]:
        """Which of these labels was meant?"""
        return (Sentence(self._say("which", labels=", ".join(labels)), decisive=True),)

    def options(self, question: Question) -> tuple[Sentence, ...]:
        """What may be answered, keys included."""
        numbered: tuple[Sentence, ...] = ()
        if isinstance(question, Choice):
            numbered = tuple(Sentence(text, decisive=True) for text in self._numbered(question))
        return (*numbered, *self._how(question), *self._key_hint(question))

    def _numbered(self, question: Choice) -> list[str]:
        return [
            self._say("option", number=number, label=option.label)
            for number, option in enumerate(question.options, start=1)
        ]

    # --- back --------------------------------------------------------------------------------------------------------

    def read_back(self, question: Question, value: object) -> tuple[Sentence, ...]:
        """What was understood, and whether to take it: digits one by one, options by their labels."""
        heard = Sentence(self._say("read_back", value=self._value(question, value)), decisive=True)
        return (heard, Sentence(self._words["take_it"]))

    def _value(self, question: Question, value: object) -> str:
        if isinstance(question, Choice):
            labels = {option.value: option.label for option in question.options}
            chosen = cast("Sequence[object]", value) if isinstance(value, list | tuple) else [value]
            return self._values.joined([labels.get(str(one), str(one)) for one in chosen])
        if isinstance(question, Number) and question.digits is not None:
            return ", ".join(str(value))
        text = self._values.spoken(value) or str(value)
        return text if len(text) <= MAX_SPOKEN else text[: MAX_SPOKEN - 1] + "…"

    def second_yes(self, question: Question) -> tuple[Sentence, ...]:
        """The question in its shortest form, for a second yes."""
        core = self._core(question)
        long = sum(len(one.text) for one in core) > _SHORT
        return (*(core[:1] if long else core), Sentence(self._words["second_yes"]))

    def _say(self, key: str, **fields: object) -> str:
        return filled(self._words[key], fields)


def _split(text: str) -> list[str]:
    return [found.strip() for found in _SENTENCE.findall(text) if found.strip()] or [text.strip()]


def _sentences(text: str) -> tuple[Sentence, ...]:
    return tuple(Sentence(one) for one in _split(text))


def _with_stop(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?", "…", ":")) else f"{text}."
