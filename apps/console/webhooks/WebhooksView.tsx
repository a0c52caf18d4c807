import { Page } from "../kit/Page.tsx"
export const WebhooksView = () => <Page title="Webhooks">soon</Page>
