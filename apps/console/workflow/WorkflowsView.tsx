import { Page } from "../kit/Page.tsx"
export const WorkflowsView = (_: { readonly query: URLSearchParams }) => <Page title="Workflows">soon</Page>
