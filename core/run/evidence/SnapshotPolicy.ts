/**
 * The permissions of a snapshot where it is shown: none but to show its content. Nothing is loaded from the site of the
 * page or any other, so that the site does not learn who reads the snapshot, when, and from where.
 */
export const policy =
  "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'"
