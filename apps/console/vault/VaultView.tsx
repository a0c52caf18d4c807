import { Page } from "../kit/Page.tsx"
export const VaultView = () => <Page title="Vault">soon</Page>
