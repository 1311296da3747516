"""One GraphQL library a file: its schema, its user context, its docs, its exposure and its dialect."""
