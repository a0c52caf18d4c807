/**
 * What the snapshot of a page may do where it is shown: nothing but show what stands in it. Nothing is loaded from the site
 * of the page or any other, so that the site does not learn who reads the snapshot, when, and from where.
 */
export const policy =
  "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'"
