"""Break it on purpose: two workers, many people, and somebody who kills, cuts and stops. `make torture` runs it."""
