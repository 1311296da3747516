"""The treasury's rate service, answered in this process: what a remote system would say, without a network."""

from collections.abc import Mapping

from general_manager.interface import RequestNotFoundError, RequestQueryResult
from general_manager.interface.requests import RequestPlan

RATES: tuple[dict[str, object], ...] = tuple(
    {"id": number, "iso": iso, "name": name, "perEuro": rate, "pegged": pegged}
    for number, (iso, name, rate, pegged) in enumerate(
        [
            ("USD", "US dollar", 1.0824, False),
            ("GBP", "Pound sterling", 0.8471, False),
            ("CHF", "Swiss franc", 0.9512, False),
            ("JPY", "Japanese yen", 163.25, False),
            ("SEK", "Swedish krona", 11.342, False),
            ("NOK", "Norwegian krone", 11.718, False),
            ("DKK", "Danish krone", 7.4597, True),
            ("PLN", "Polish zloty", 4.2935, False),
            ("CZK", "Czech koruna", 25.118, False),
            ("CAD", "Canadian dollar", 1.4836, False),
            ("KRW", "South Korean won", 1473.6, False),
            ("BGN", "Bulgarian lev", 1.9558, True),
        ],
        start=1,
    )
)


class Treasury:
    """A transport that answers `/rates` and `/rates/<id>` from the table above."""

    def execute(
        self,
        *,
        interface_cls: type,
        operation: object,
        plan: RequestPlan,
        identification: Mapping[str, object] | None = None,
    ) -> RequestQueryResult:
        """The rates the plan asks for. Raises RequestNotFoundError for an id that is none."""
        if plan.operation_name == "detail":
            wanted = (identification or {}).get("id")
            found = tuple(row for row in RATES if row["id"] == wanted)
            if not found:
                raise RequestNotFoundError(f"There is no exchange rate {wanted}.")
        else:
            iso = plan.query_params.get("iso")
            found = tuple(row for row in RATES if iso is None or row["iso"] == iso)
        return RequestQueryResult(items=found, total_count=len(found))
