// The commits that touched a path or a symbol.

import { make } from "../dragoman/elements.js";
import { look } from "./look.js";
import { commit, count, filled, link, listed, plural } from "./parts.js";

export async function history(into, path) {
  const page = async (offset) => {
    const told = await look("get_area_history", { path, limit: 20, offset });
    if (!offset) {
      count(into, plural(told.found, "commit"));
      if (told.renamed_to) into.append(filled("p", "soft", "Renamed to ", link({ file: told.renamed_to }, told.renamed_to)));
      if (told.also_known_as?.length) into.append(make("p", "soft", `Before: ${told.also_known_as.join(", ")}`));
    }
    return { rows: told.commits.map(commit), next: told.next_offset };
  };
  await listed(into, page, "No commit touched it.");
}
