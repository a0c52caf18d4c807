/** Writes `core/workflow/playwright/FigureText.ts` again: `node test/docs/writeFigure.ts`. */
import { writeFileSync } from "node:fs"
import * as FigureText from "./FigureText.ts"

writeFileSync(FigureText.path, FigureText.written())
