import { Page } from "../kit/Page.tsx"
export const RunView = ({ id }: { readonly id: string }) => <Page title={id}>soon</Page>
