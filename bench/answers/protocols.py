"""The protocols of LoCoMo and LongMemEval: what is asked, with which prompts, and how an answer is judged.

LoCoMo (Maharana et al., ACL 2024): a short phrase from the conversation, scored by F1, and, as the field's tables
do since mem0's evaluation, by a judge that says CORRECT or WRONG; categories 1 to 4 count, 5 has no answer.
LongMemEval (Wu et al., ICLR 2025): the chats with their dates and the date of the question; the judge says yes or
no, by a rule for the type of the question.

The prompts follow these protocols in words of our own, because the published ones belong to their repositories.
`--prompts FOLDER` replaces each by the file of its name, so that a published prompt is used word for word.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

_LABEL = re.compile(r"\b(CORRECT|WRONG)\b")

PROMPTS = {
    "answer-locomo": """\
Below is a conversation between two people over several days. Each part begins with its date.

{context}

Answer the question from this conversation with a short phrase. Use its own words where possible. \
Resolve relative times with the date of the turn.

Question: {question}
Short answer:""",
    "answer-locomo-temporal": """\
Below is a conversation between two people over several days. Each part begins with its date.

{context}

Answer the question with a date or a time, worked out from the dates of the conversation.

Question: {question}
Short answer:""",
    "answer-locomo-adversarial": """\
Below is a conversation between two people over several days. Each part begins with its date.

{context}

Answer the question from this conversation. If it is not mentioned there, say so.

Question: {question}
Short answer:""",
    "answer-longmemeval": """\
Here are chats between a user and you, each with its date. Answer the user's question from what is \
relevant in them.

{context}

Today: {date}
Question: {question}
Answer:""",
    "judge-locomo": """\
Compare a generated answer with the gold answer to a question about two people's conversations. The generated \
one may be longer. It is correct if it names the same thing as the gold answer. A time is correct if it is \
the same date or period, in whatever form.

Question: {question}
Gold answer: {answer}
Generated answer: {response}

Give one sentence of reasoning, then the label as JSON: {{"label": "CORRECT"}} or {{"label": "WRONG"}}.""",
    "judge-longmemeval": """\
Is the response correct? It is if it contains the correct answer, says the same in other words, or gives every \
step that leads to it. It is not if it has only a part of what the answer needs.

Question: {question}
Correct answer: {answer}
Response: {response}

Answer yes or no only.""",
    "judge-longmemeval-temporal-reasoning": """\
Is the response correct? It is if it contains the correct answer, says the same in other words, or gives every \
step that leads to it. It is not if it has only a part of what the answer needs. A count of days, weeks or \
months may be off by one.

Question: {question}
Correct answer: {answer}
Response: {response}

Answer yes or no only.""",
    "judge-longmemeval-knowledge-update": """\
Is the response correct? It is if it contains the updated answer, also if it gives earlier information beside it.

Question: {question}
Correct answer: {answer}
Response: {response}

Answer yes or no only.""",
    "judge-longmemeval-single-session-preference": """\
Does the response do what the rubric asks for? It need not cover every point. It is correct if it uses what the \
user has said about themselves correctly.

Question: {question}
Rubric: {answer}
Response: {response}

Answer yes or no only.""",
    "judge-unanswerable": """\
The question cannot be answered from the conversations. Does the response say so? It may say that something is \
missing, or that only something else is known.

Question: {question}
Explanation: {answer}
Response: {response}

Answer yes or no only.""",
}
"""Name -> prompt with the fields context, question, date, answer and response, as far as it needs them."""


@dataclass(frozen=True)
class Prompts:
    """The prompts in use, and which of them were given."""

    texts: dict[str, str] = field(default_factory=lambda: dict(PROMPTS))
    given: tuple[str, ...] = ()

    @classmethod
    def read(cls, folder: Path | None) -> Prompts:
        """Return the prompts of a folder, `NAME.txt` each, and our own for the others. Raises OSError."""
        names = [each for each in PROMPTS if folder and (folder / f"{each}.txt").is_file()]
        texts = {each: Path(folder or "", f"{each}.txt").read_text(encoding="utf-8") for each in names}
        return cls(PROMPTS | texts, tuple(names))

    @property
    def digest(self) -> str:
        """A short hash of all prompts: figures of different prompts are not comparable."""
        return hashlib.sha256(json.dumps(self.texts, sort_keys=True).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Asked:
    """One question with its right answer ("" or an explanation if there is none), and the protocol's names."""

    text: str
    answer: str
    category: str
    answerable: bool
    protocol: str
    date: str

    def answering(self, prompts: Prompts, context: str) -> str:
        """Return the prompt that asks for an answer from a context."""
        special = f"answer-{self.protocol}-{self.category}"
        template = prompts.texts.get(special, prompts.texts[f"answer-{self.protocol}"])
        return template.format(context=context, question=self.text, date=self.date)

    def judging(self, prompts: Prompts, response: str) -> str:
        """Return the prompt that asks whether a response is right."""
        special = f"judge-{self.protocol}-{self.category}" if self.answerable else "judge-unanswerable"
        template = prompts.texts.get(special, prompts.texts[f"judge-{self.protocol}"])
        # The second names are those of mem0's published prompt.
        names = {"answer": self.answer, "response": response}
        names |= {"gold_answer": self.answer, "generated_answer": response}
        return template.format(question=self.text, **names)

    def verdict(self, said: str) -> bool | None:
        """Return what a judge said: right or not; None if it said neither."""
        if self.protocol == "locomo" and self.answerable:
            labels = _LABEL.findall(said)
            return labels[-1] == "CORRECT" if labels else None
        word = re.match(r"\W*(yes|no)\b", said, re.IGNORECASE)
        return word[1].lower() == "yes" if word else None
