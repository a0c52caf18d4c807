/** Messages modelled on those that sites send, each with the link that a person would open to get in. */

export interface Sample {
  readonly name: string
  readonly subject?: string
  readonly html?: string
  readonly text?: string
  /** `null` where there is none. */
  readonly link: string | null
}

const token = "eyJhbGciOi9.c2Vzc2lvbg-4f3c2b1a9d8e7f60"
const footer = `<p><a href="https://acme.example/unsubscribe?u=8812aabbccddeeff00112233">Unsubscribe</a> ·
  <a href="https://acme.example/privacy">Privacy policy</a> · <a href="https://twitter.com/acme">Twitter</a> ·
  <a href="https://acme.example/settings/notifications?token=${token}">Notification settings</a></p>`
const logo = '<a href="https://acme.example/"><img src="https://acme.example/logo.png" alt="Acme"></a>'

export const withLink: ReadonlyArray<Sample> = [
  {
    name: "a title that says all, and one address",
    subject: "Your magic link",
    text: "https://acme.example/m/8f3k2",
    link: "https://acme.example/m/8f3k2"
  },
  {
    name: "a title that says all, one address and a greeting",
    subject: "Your magic link",
    text: "Hi Robin,\n\nhttps://acme.example/go/x7\n\nThe Acme team",
    link: "https://acme.example/go/x7"
  },
  {
    name: "a German title that says all, and one address",
    subject: "Ihr Anmeldelink",
    text: "https://acme.example/m/8f3k2",
    link: "https://acme.example/m/8f3k2"
  },
  {
    name: "a French title that says all, and one address",
    subject: "Votre lien de connexion",
    text: "https://acme.example/m/8f3k2",
    link: "https://acme.example/m/8f3k2"
  },
  {
    name: "a title that says all, and one address besides those of the foot",
    subject: "Sign-in link for Acme",
    text: "https://acme.example/m/8f3k2\n\nUnsubscribe: https://acme.example/unsubscribe/1\nhttps://acme.example/privacy",
    link: "https://acme.example/m/8f3k2"
  },
  {
    name: "a button among others",
    subject: "Sign in to Acme",
    html: `${logo}<p>Click the button below to sign in to Acme. This link expires in 15 minutes.</p>
      <a href="https://acme.example/auth/magic?token=${token}">Sign in</a>
      <p>If you didn't request this, <a href="https://acme.example/report?token=${token}">let us know</a>.</p>${footer}`,
    link: `https://acme.example/auth/magic?token=${token}`
  },
  {
    name: "behind an address that counts clicks",
    subject: "Your magic link",
    html: `${logo}<p>Here is your magic link:</p><a href="https://u1234.ct.sendgrid.net/ls/click?upn=u001.${token}ABCDEF0123456789">Log in to Acme</a>
      <a href="https://u1234.ct.sendgrid.net/ls/click?upn=u001.ZZ99887766554433221100ABCDEF">View in browser</a>${footer}`,
    link: `https://u1234.ct.sendgrid.net/ls/click?upn=u001.${token}ABCDEF0123456789`
  },
  {
    name: "plain text",
    subject: "Confirm your email",
    text: `Hi,\n\nplease confirm your email address by visiting the following link:\n\nhttps://acme.example/confirm/9f8e7d6c5b4a39281706.\n\nTerms: https://acme.example/terms\nHelp: https://acme.example/help`,
    link: "https://acme.example/confirm/9f8e7d6c5b4a39281706"
  },
  {
    name: "how a mail program confirms that it may forward",
    subject: "(#830216497) Gmail Forwarding Confirmation - Receive Mail from robin@gmail.com",
    text: "Confirmation code: 830216497\n\nTo allow robin@gmail.com to automatically forward mail to your email address, please click the link below to confirm the request:\n\nhttps://mail-settings.google.com/mail/vf-%5BANGjdJ8x1%5D-aBcDeFgHiJkLmNoPq\n\nIf you accidentally clicked the link, but you do not want to allow it, click this link to cancel this verification:\nhttps://mail-settings.google.com/mail/uf-%5BANGjdJ8x1%5D-zYxWvUtSrQpOnMlKj\n\nTo learn more visit:\nhttp://support.google.com/mail/bin/answer.py?answer=184973",
    link: "https://mail-settings.google.com/mail/vf-%5BANGjdJ8x1%5D-aBcDeFgHiJkLmNoPq"
  },
  {
    name: "German",
    subject: "Ihr Anmeldelink",
    html: `${logo}<p>Klicken Sie auf den Button, um sich anzumelden. Der Link ist 10 Minuten gültig.</p><a href="https://acme.example/login/verify?t=${token}">Jetzt anmelden</a><a href="https://acme.example/datenschutz">Datenschutz</a>`,
    link: `https://acme.example/login/verify?t=${token}`
  },
  {
    name: "French",
    subject: "Connectez-vous à Acme",
    html: `<p>Cliquez sur le lien ci-dessous pour vous connecter.</p><a href="https://acme.example/connexion?jeton=${token}">Se connecter</a><a href="https://acme.example/desinscription?x=${token}">Se désinscrire</a>`,
    link: `https://acme.example/connexion?jeton=${token}`
  },
  {
    name: "Spanish",
    subject: "Inicia sesión en Acme",
    html: `<p>Haz clic en el botón para iniciar sesión.</p><a href="https://acme.example/m/${token}">Iniciar sesión</a>`,
    link: `https://acme.example/m/${token}`
  },
  {
    name: "Japanese",
    subject: "ログインリンクのお知らせ",
    html: `<p>以下のリンクをクリックしてログインしてください。</p><a href="https://acme.example/auth?token=${token}">ログインする</a><a href="https://acme.example/help">ヘルプ</a>`,
    link: `https://acme.example/auth?token=${token}`
  },
  {
    name: "an address shown as it is",
    subject: "Verify your account",
    html: `<p>Verify your account by opening this link: <a href="https://acme.example/verify?token=${token}">https://acme.example/verify?token=${token}</a></p>`,
    link: `https://acme.example/verify?token=${token}`
  },
  {
    name: "an SMS",
    text: `Tap the link to sign in to Acme: https://acme.example/s/Ab3dE9xQ2m4K8p1Z77`,
    link: "https://acme.example/s/Ab3dE9xQ2m4K8p1Z77"
  }
]

export const withoutLink: ReadonlyArray<Sample> = [
  {
    name: "a title about magic links, and several addresses",
    subject: "Why we built magic link sign-in",
    text: "https://acme.example/posts/1\nhttps://acme.example/posts/2",
    link: null
  },
  {
    name: "the home page below a title that promises a link",
    subject: "Your magic link",
    text: "https://acme.example/",
    link: null
  },
  {
    name: "a newsletter",
    subject: "What is new in November",
    html: `${logo}<h1>Hello Robin</h1><a href="https://acme.example/posts/42?utm_source=mail">Read our post</a><a href="https://t.acme.example/c/0011aabbccddeeff2233445566">Shop the sale</a>${footer}`,
    link: null
  },
  {
    name: "a shipping notice",
    subject: "Your order has shipped",
    html: `<p>Track your parcel:</p><a href="https://carrier.example/track/1Z999AA10123456784">Track package</a>${footer}`,
    link: null
  },
  {
    name: "a link that runs something",
    subject: "Sign in to Acme",
    html: `<p>Click the button below to sign in.</p><a href="javascript:alert(1)">Sign in</a><a href="data:text/html,login">Sign in</a><a href="mailto:a@b.example">Sign in</a>`,
    link: null
  }
]
