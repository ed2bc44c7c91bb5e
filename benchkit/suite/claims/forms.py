"""Every form that a claim may have, and which of them a mapping is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, get_args

from pydantic import TypeAdapter, ValidatorFunctionWrapHandler, WrapValidator

from benchkit.suite.claims.alike import Alike
from benchkit.suite.claims.between import Between
from benchkit.suite.claims.breakdown import Breakdown
from benchkit.suite.claims.claim import Claim
from benchkit.suite.claims.exponent import Exponent
from benchkit.suite.claims.monotone import Monotone
from benchkit.suite.claims.order import Order
from benchkit.suite.claims.value import Value
from benchkit.suite.strict import refuse_unknown_keys

_Form = Order | Breakdown | Alike | Between | Value | Monotone | Exponent

FORMS: tuple[type[Claim], ...] = get_args(_Form)
"""A new form has its place here; how it is judged, in `benchkit.report.claims.checks`."""

_KEYS = list(dict.fromkeys(key for form in FORMS for key in form.model_fields))


def _of_its_form(value: Any, _: ValidatorFunctionWrapHandler) -> Claim:
    """The claim that a mapping is: pydantic would try all forms, and say of each why the mapping is not of it."""
    if isinstance(value, Claim):
        return value
    if not isinstance(value, Mapping):
        return Claim.model_validate(value)  # which says that it is no mapping
    refuse_unknown_keys(value, _KEYS)
    form = _form_of(value)
    for key, field in form.model_fields.items():
        if key not in Claim.model_fields and field.is_required() and value.get(key) is None:
            raise ValueError(f"{key!r} and {form.form!r} go together")
    for key in value:
        if key not in form.model_fields and _says_something(key, value[key]):
            raise ValueError(f"{key!r} and {form.form!r} exclude each other")
    return form.model_validate({key: item for key, item in value.items() if key in form.model_fields})


def _form_of(value: Mapping[Any, Any]) -> type[Claim]:
    """The one form whose key is given; of a form and a special case of it, the special case."""
    given = [form for form in FORMS if value.get(form.form) is not None]
    given = [form for form in given if not any(form in special.__mro__[1:] for special in given)]
    if len(given) != 1:
        problem = f"both {given[0].form!r} and {given[1].form!r} are given" if given else "none is given"
        *others, last = (f"'{form.written}'" for form in FORMS)
        raise ValueError(f"give one of {', '.join(others)} and {last}; {problem}")
    return given[0]


def _says_something(key: str, value: Any) -> bool:
    """Whether a key of another form has a value: manifests of earlier versions hold the defaults of all forms."""
    if value is None:
        return False
    fields = [form.model_fields[key] for form in FORMS if key in form.model_fields]
    return all(field.is_required() or field.default != value for field in fields)


AnyClaim = Annotated[_Form, WrapValidator(_of_its_form)]
"""A claim as suites hold it."""

_ADAPTER: TypeAdapter[Claim] = TypeAdapter(AnyClaim)


def read_claim(value: Any) -> Claim:
    """The claim that an entry of ``expect`` is.

    Raises
    ------
    ValidationError
        It is none.
    """
    return _ADAPTER.validate_python(value)
