import { Page } from "../kit/Page.tsx"
export const HomeView = () => <Page title="Home">soon</Page>
