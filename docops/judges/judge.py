"""A judge: a model behind an endpoint, whose answers are recorded by the digest of the request and replayed from there."""

from __future__ import annotations

import base64
import contextlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from docops.core.canonical import digest, sha256
from docops.core.errors import Problem, UsageError
from docops.core.options import Answer
from docops.core.pictures import Pictures
from docops.reading import read_toml

#: A picture (PNG or JPEG) behind its label.
Image = tuple[str, bytes]
#: What a request is sent with: prompt, pictures, temperature, most tokens; gives the answer's text.
Send = Callable[[str, Sequence[Image], float, int], str]

_KEYS = frozenset({"provider", "model", "base_url", "api_key_env", "temperature", "max_tokens", "seconds"})


@dataclass(frozen=True, slots=True)
class JudgeConfig:
    """Which model is asked, and how.

    provider: `openai` or `anthropic`, or what speaks their protocol at `base_url`.
    api_key_env: name of the environment variable that holds the key.   seconds: time limit of one request.
    """

    provider: str
    model: str
    base_url: str = ""
    api_key_env: str = ""
    temperature: float = 0.0
    max_tokens: int = 1024
    seconds: float = 60.0


def read_config(path: Path) -> JudgeConfig:
    """The configuration in a TOML file.

    Raises UsageError with everything that is wrong with it.
    """
    problems: list[Problem] = []
    raw = read_toml(path, path.name, problems)
    if raw is None:
        raise UsageError("; ".join(map(str, problems)))
    wrong = [f"unknown key {key!r}" for key in raw if key not in _KEYS]
    wrong += [f"{key} is missing" for key in ("provider", "model") if not isinstance(raw.get(key), str)]
    wrong += [f"{key} is a text" for key in ("base_url", "api_key_env") if not isinstance(raw.get(key, ""), str)]
    numbers = ("temperature", "max_tokens", "seconds")
    wrong += [f"{key} is a number" for key in numbers if isinstance(raw.get(key, 0), bool) or not isinstance(raw.get(key, 0), (int, float))]
    if raw.get("provider") not in ("openai", "anthropic"):
        wrong.append("provider is openai or anthropic")
    if wrong:
        raise UsageError(f"{path}: {'; '.join(wrong)}")
    return JudgeConfig(**raw)


class Record:
    """Answers by the digest of their request, in a file of JSON lines; the first that was kept counts.

    Several processes may keep answers in one file: each adds whole lines, and takes over what another has kept meanwhile.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._answers: dict[str, Answer] = {}
        self._read = 0
        self._whole = True
        self._catch_up()

    def get(self, request: str) -> Answer | None:
        """The answer that is kept, or None."""
        return self._answers.get(request)

    def keep(self, request: str, answer: Answer) -> Answer:
        """Add an answer to the file, unless another process was faster; the one that counts."""
        text = answer.text or ""
        entry: dict[str, Any] = {"answer": text, "answer_sha256": sha256(text.encode()), "request": request}
        if answer.pictures:
            entry["pictures"] = answer.pictures
        try:
            with self.path.open("a+b") as stream, _locked(stream):
                self._catch_up()
                if request not in self._answers:
                    stream.truncate(self._read)
                    stream.write(b"" if self._whole else b"\n")
                    stream.write(json.dumps(entry, sort_keys=True, ensure_ascii=False).encode() + b"\n")
                    stream.flush()
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be written: {error.strerror}") from error
        return self._answers.setdefault(request, answer)

    def _catch_up(self) -> None:
        """Take in the lines that were added since the last time."""
        try:
            if not self.path.exists():
                return
            with self.path.open("rb") as stream:
                stream.seek(self._read)
                for line in stream:
                    try:
                        entry = json.loads(line)
                    except ValueError:
                        if line.endswith(b"\n"):
                            raise
                        return  # being written at this moment, or cut off when its writer ended
                    if sha256(entry["answer"].encode()) != entry["answer_sha256"]:
                        raise ValueError(f"the answer to {entry['request'][:12]} is not the one that was recorded")
                    self._answers.setdefault(entry["request"], Answer(entry["answer"], int(entry.get("pictures", 0))))
                    self._read += len(line)
                    self._whole = line.endswith(b"\n")
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(f"{self.path}: is no record of a judge: {error}") from error


@contextlib.contextmanager
def _locked(stream: IO[bytes]) -> Iterator[None]:
    """Nobody else adds to the file meanwhile, where the system has locks for that."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    fcntl.flock(stream, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(stream, fcntl.LOCK_UN)


@dataclass(slots=True)
class Judge:
    """Answers requests from the record; asks the model where there is one and the record has no answer.

    name: the model, part of every request's digest.   run: number of a repeated evaluation, part of it too.
    send: None: offline, only what is recorded is answered.
    made_by: the arguments of `make_judge`, with which another process makes the same judge; None: it cannot.
    """

    name: str
    record: Record | None = None
    send: Send | None = None
    run: int = 1
    temperature: float = 0.0
    max_tokens: int = 1024
    made_by: tuple[JudgeConfig, Path | None, int, bool] | None = None

    @property
    def key(self) -> str:
        """What answers depend on besides the question."""
        return f"{self.name}, run {self.run}, temperature {self.temperature:g}"

    def answer(self, prompt: str, pictures: Sequence[Pictures] = (), *, temperature: float | None = None) -> Answer:
        """The model's answer, recorded or asked for.

        Pictures belong to the request by their names and are made only where the model is asked, so that a record replays
        without a renderer. Raises NotApplicable where they cannot be made.
        """
        heat = self.temperature if temperature is None else temperature
        names = [name for group in pictures for name in group.names]
        request = digest({"model": self.name, "prompt": prompt, "images": names, "temperature": heat, "run": self.run})
        kept = self.record.get(request) if self.record is not None else None
        if kept is not None:
            return kept
        if self.send is None:
            return Answer(None, problem="no answer to this question is recorded, and no model is asked")
        images = [(group.label, image) for group in pictures for image in group.make()]
        try:
            text = self.send(prompt, images, heat, self.max_tokens)
        except Exception as error:  # whatever a client library raises: the model did not answer
            return Answer(None, problem=f"the model did not answer: {type(error).__name__}: {error}"[:500])
        answer = Answer(text, len(images))
        return self.record.keep(request, answer) if self.record is not None else answer

    def __reduce__(self) -> tuple[Any, ...]:
        if self.made_by is None:
            raise TypeError("a judge that was not made from a configuration cannot be taken to another process")
        return _made_again, self.made_by


def make_judge(config: JudgeConfig, record: Path | None, *, run: int = 1, offline: bool = False) -> Judge:
    """The judge of a configuration.

    record: file of recorded answers.   offline: never ask, only replay.
    Raises UsageError where its client library is not installed or the key is missing.
    """
    send = None if offline else _sender(config)
    kept = Record(record) if record is not None else None
    made_by = (config, record, run, offline)
    return Judge(config.model, kept, send, run, float(config.temperature), int(config.max_tokens), made_by)


def _made_again(config: JudgeConfig, record: Path | None, run: int, offline: bool) -> Judge:
    return make_judge(config, record, run=run, offline=offline)


def _sender(config: JudgeConfig) -> Send:
    key = os.environ.get(config.api_key_env, "") if config.api_key_env else "none"
    if not key:
        raise UsageError(f"the environment variable {config.api_key_env} holds no key for the judge")
    return (_openai if config.provider == "openai" else _anthropic)(config, key)


def _openai(config: JudgeConfig, key: str) -> Send:
    try:
        import openai
    except ImportError:
        raise UsageError("this judge needs the package openai: pip install 'docops-verifier[judge]'") from None
    client: Any = openai.OpenAI(api_key=key, base_url=config.base_url or None, timeout=config.seconds, max_retries=2)

    def send(prompt: str, images: Sequence[Image], temperature: float, max_tokens: int) -> str:
        parts: list[Any] = [{"type": "text", "text": prompt}]
        for number, (label, image) in enumerate(images, 1):
            url = f"data:{_type(image)};base64,{_base64(image)}"
            parts += [{"type": "text", "text": _caption(number, label)}, {"type": "image_url", "image_url": {"url": url}}]
        messages: list[Any] = [{"role": "user", "content": parts if images else prompt}]
        answer = client.chat.completions.create(model=config.model, messages=messages, temperature=temperature, max_tokens=max_tokens)
        return str(answer.choices[0].message.content or "")

    return send


def _anthropic(config: JudgeConfig, key: str) -> Send:
    try:
        import anthropic
    except ImportError:
        raise UsageError("this judge needs the package anthropic: pip install 'docops-verifier[judge]'") from None
    client: Any = anthropic.Anthropic(api_key=key, base_url=config.base_url or None, timeout=config.seconds, max_retries=2)

    def send(prompt: str, images: Sequence[Image], temperature: float, max_tokens: int) -> str:
        parts: list[Any] = []
        for number, (label, image) in enumerate(images, 1):
            source = {"type": "base64", "media_type": _type(image), "data": _base64(image)}
            parts += [{"type": "text", "text": _caption(number, label)}, {"type": "image", "source": source}]
        parts.append({"type": "text", "text": prompt})
        messages: list[Any] = [{"role": "user", "content": parts}]
        # Not every version of the library has the parameter, and every endpoint takes it.
        answer = client.messages.create(model=config.model, messages=messages, max_tokens=max_tokens, extra_body={"temperature": temperature})
        return "".join(str(block.text) for block in answer.content if block.type == "text")

    return send


def _caption(number: int, label: str) -> str:
    return f"Picture {number}{f', {label}' if label else ''}:"


def _type(image: bytes) -> str:
    return "image/png" if image.startswith(b"\x89PNG") else "image/jpeg"


def _base64(image: bytes) -> str:
    return base64.b64encode(image).decode("ascii")
