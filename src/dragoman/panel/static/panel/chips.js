// In the chat: a symbol, a line or a commit that an answer names opens in the Explorer.

import { leading } from "../dragoman/prose.js";
import { address, named } from "./place.js";

leading((text) => {
  const place = named(text);
  return place && address(document.body.dataset.base, place);
});
