"""Questions with known answers, put to an assistant and judged."""
