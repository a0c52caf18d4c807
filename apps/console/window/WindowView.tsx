import { Page } from "../kit/Page.tsx"
export const WindowView = ({ id }: { readonly id: string }) => <Page title={id}>soon</Page>
