"""The planner over the tools of a repository: where, who calls, what changed, show, and the counts."""
