"""Answer questions over a GraphQL grounding without any model: words are linked to what the tools say there is."""

from dragoman.providers.planner.planner import Planner

__all__ = ["Planner"]
