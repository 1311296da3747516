"""The command line: `dragoman init | scan | ask | serve | doctor`."""
