"""A chat grounded in a GraphQL schema: graphql-core only, no web framework and no GraphQL library."""
