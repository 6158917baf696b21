// The panes that are not texts. `draw(body, follow)` fills one; `follow(line)` shows a line of the kernel.

import { drawCompare } from "./compare.js";
import { drawCounters } from "./counters.js";
import { drawDecisions } from "./decisions.js";
import { drawLayouts } from "./layouts.js";
import { drawMasks } from "./masks.js";
import { drawMemory } from "./memory.js";
import { drawOrder } from "./order.js";
import { drawRoles } from "./roles.js";
import { drawTime } from "./time.js";
import { drawTimeline } from "./timeline.js";

export const PICTURES = [
  { name: "compare", title: "Compare", draw: drawCompare },
  { name: "roles", title: "Roles", draw: drawRoles },
  { name: "memory", title: "Shared memory", draw: drawMemory },
  { name: "layouts", title: "Layouts", draw: drawLayouts },
  { name: "masks", title: "Masks", draw: drawMasks },
  { name: "order", title: "Tile order", draw: drawOrder },
  { name: "decisions", title: "Decisions", draw: drawDecisions },
  { name: "time", title: "Time", draw: drawTime },
  { name: "timeline", title: "Timeline", draw: drawTimeline },
  { name: "counters", title: "Counters", draw: drawCounters },
];
