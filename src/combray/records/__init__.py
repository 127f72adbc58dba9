"""Records: dataclasses whose methods are compiled on first use. Modules import them instead of `dataclasses`.

The standard decorator compiles six methods of every frozen class, which takes about 0.5 ms. A shell call loads a
hundred classes and uses few of them. Here the standard decorator makes `__init__` when the first object is made,
and fields, comparison and representation when one of them is first looked up.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Mapping
from dataclasses import field, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

__all__ = ["dataclass", "deferred", "field", "fields", "known", "replace"]

C = TypeVar("C")
T = TypeVar("T")

_READING = threading.Lock()


def known(shape: type[T]) -> type[T]:
    """Return a type after msgspec has read it whole. Every lazy `decode` and `convert` to structs uses it.

    msgspec 0.22 publishes a struct's fields before their types are there. A second thread that decodes to the
    struct at that moment ends the process with a segmentation fault (`json_decode_struct_map_inner`).
    A `Decoder` that a module makes when it is loaded needs none of this: the lock of the import is held.
    """
    with _READING:
        msgspec.json.Decoder(shape)
    return shape


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True):
        """Make a class a dataclass, as `dataclasses.dataclass` does with the same parameters."""
        if cls is None:
            return lambda cls: _WrittenClass(cls, frozen, eq).applied(slots)
        return _WrittenClass(cls, frozen, eq).applied(slots)


class _LateAttribute:
    """Stands for an attribute of a class. Looking it up makes `complete` put the real one in its place."""

    def __init__(self, name: str, complete: Callable[[], None]) -> None:
        self._name, self._complete = name, complete

    def __get__(self, instance: Any, owner: type) -> Any:
        self._complete()
        return getattr(owner if instance is None else instance, self._name)


class _WrittenClass:
    """A class as it was written, from which the parts of the dataclass are made."""

    def __init__(self, cls: type, frozen: bool, eq: bool) -> None:
        self._cls, self._frozen, self._eq = cls, frozen, eq
        self._written = {k: v for k, v in vars(cls).items() if k not in ("__dict__", "__weakref__")}

    def applied(self, slots: bool) -> type:
        """Return the class with late methods; with slots it is a new class, because slots cannot be added."""
        late = self._late_parts()
        if self._frozen:
            late |= {"__setattr__": _refuse_change, "__delattr__": _refuse_removal}
            if slots:
                late |= {"__getstate__": _state, "__setstate__": _restore}
        # Python gives a class with its own `__eq__` the hash None.
        late = {name: value for name, value in late.items() if self._written.get(name) is None}
        annotations: Mapping[str, Any] = self._written.get("__annotations__", {})
        names = [name for name, kind in annotations.items() if not str(kind).startswith("ClassVar")]
        if slots:
            kept = {name: value for name, value in self._written.items() if name not in names}
            cls = self._cls
            self._cls = type(cls)(cls.__name__, cls.__bases__, {**kept, **late, "__slots__": tuple(names)})
            return self._cls
        for name, value in late.items():
            setattr(self._cls, name, value)
        for name in names:
            default = self._written.get(name)
            if isinstance(default, dataclasses.Field):
                delattr(self._cls, name)
                if default.default is not dataclasses.MISSING:
                    setattr(self._cls, name, default.default)
        return self._cls

    def _late_parts(self) -> dict[str, Any]:
        described = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")
        parts: dict[str, Any] = {name: _LateAttribute(name, self._describe) for name in described}
        parts["__init__"] = _LateAttribute("__init__", self._compile_init)
        compared = ("__eq__", "__hash__") if self._frozen else ("__eq__",)
        for name in ("__repr__", *(compared if self._eq else ())):
            parts[name] = _LateAttribute(name, self._compile_others)
        if self._eq and not self._frozen:
            parts["__hash__"] = None
        return parts

    def _standard(self, **parameters: bool) -> type:
        """Return the class as written, made a dataclass by the standard decorator."""
        # A class without a docstring would get its signature as one, which takes 8 ms the first time.
        written = {**self._written, "__doc__": self._cls.__doc__ or self._cls.__name__}
        twin = type(self._cls)(self._cls.__name__, self._cls.__bases__, written)
        # A frozen class compiles two methods more. One that inherits fields must be as frozen as its base.
        inherits = any(hasattr(base, "__dataclass_fields__") for base in self._cls.__bases__)
        return dataclasses.dataclass(**{"init": False, "frozen": self._frozen and inherits} | parameters)(twin)

    def _put(self, made: type, *names: str) -> None:
        for name in names:
            if isinstance(vars(self._cls).get(name), _LateAttribute):
                setattr(self._cls, name, getattr(made, name))

    def _describe(self) -> None:
        made: Any = self._standard(repr=False, eq=False)
        made.__dataclass_params__.frozen, made.__dataclass_params__.eq = self._frozen, self._eq
        self._put(made, "__dataclass_fields__", "__dataclass_params__", "__match_args__")

    def _compile_others(self) -> None:
        hashed = isinstance(vars(self._cls).get("__hash__"), _LateAttribute)
        self._put(self._standard(eq=self._eq, unsafe_hash=hashed), "__repr__", "__eq__", "__hash__")

    def _compile_init(self) -> None:
        made = self._standard(init=True, repr=False, eq=False, frozen=self._frozen)
        vars(made)["__init__"].__qualname__ = f"{self._cls.__qualname__}.__init__"
        self._put(made, "__init__")


def _refuse_change(_self: Any, name: str, _value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_removal(_self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in dataclasses.fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for each, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)


class _OnReading:
    """A slot that may hold a function of no arguments. The first read replaces it by what it returns."""

    def __init__(self, slot: Any) -> None:
        self._slot = slot

    def __get__(self, record: Any, owner: type | None = None) -> Any:
        if record is None:
            return self
        value = self._slot.__get__(record, owner)
        if callable(value):
            value = value()
            self._slot.__set__(record, value)
        return value

    def __set__(self, record: Any, value: Any) -> None:
        self._slot.__set__(record, value)


def deferred(*names: str) -> Callable[[type[C]], type[C]]:
    """Let fields of a class with slots be given as functions, which are called on the first read; a decorator.

    Everything that looks at the field reads it: a comparison, `repr`, `fields`, `copy` and `pickle`.
    """

    def apply(cls: type[C]) -> type[C]:
        for name in names:
            setattr(cls, name, _OnReading(getattr(cls, name)))
        return cls

    return apply
