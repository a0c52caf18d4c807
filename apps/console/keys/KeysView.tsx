import { Page } from "../kit/Page.tsx"
export const KeysView = () => <Page title="Keys">soon</Page>
