import { Page } from "../kit/Page.tsx"
export const WorkflowView = ({ id, part }: { readonly id: string; readonly part: string }) => (
  <Page title={id}>{part}</Page>
)
