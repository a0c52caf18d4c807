/** More messages modelled on those of real senders, beside which the finder was measured. */
import type { Sample } from "./Codes.ts"

export const moreWithCode: ReadonlyArray<Sample> = [
  // Sentences that name no code: the number is the object of a verb of giving, and the purpose is to sign in.
  ...[
    ["English, use", "Use 918273 to sign in."],
    ["English, enter", "Enter 918273 to log in to Example."],
    ["English, type", "To sign in, type 918273 into the page that is open."],
    ["English, with a brand before", "Example: use 918273 to verify your phone."],
    ["German", "Geben Sie 918273 ein, um sich anzumelden."],
    ["German, use", "Verwenden Sie 918273, um sich bei Example anzumelden."],
    ["German, last", "Zum Anmelden bitte 918273 eingeben."],
    ["French", "Saisissez 918273 pour vous connecter."],
    ["French, use", "Utilisez 918273 pour vous connecter à Example."],
    ["Spanish", "Usa 918273 para iniciar sesión."],
    ["Spanish, enter", "Introduce 918273 para acceder a Example."],
    ["Portuguese", "Use 918273 para entrar na sua conta."],
    ["Italian", "Inserisci 918273 per accedere."],
    ["Dutch, enter", "Voer 918273 in om in te loggen."],
    ["Dutch", "Gebruik 918273 om in te loggen."],
    ["Polish", "Wpisz 918273, aby się zalogować."],
    ["Turkish", "Giriş yapmak için 918273 girin."],
    ["Russian", "Введите 918273, чтобы войти."],
    ["Chinese", "请输入918273登录。"],
    ["Japanese", "918273を入力してログインしてください。"],
    ["Korean", "로그인하려면 918273을 입력하세요."]
  ].map(([name, text]) => ({ name: `a sentence without the word, ${name}`, text: text ?? "", code: "918273" })),
  {
    name: "Microsoft style",
    subject: "Microsoft account security code",
    html: "<table><tr><td>Microsoft account</td></tr><tr><td>Security code</td></tr><tr><td>Please use the following security code for the Microsoft account ro**n@example.com.</td></tr><tr><td>Security code: <span style='font-weight:bold'>5621093</span></td></tr><tr><td>If you don't recognize the Microsoft account ro**n@example.com, you can click here to remove your email address from that account.</td></tr><tr><td>Thanks,</td></tr></table>",
    code: "5621093"
  },
  {
    name: "GitHub style",
    subject: "[GitHub] Please verify your device",
    text: "Hey robin!\n\nA sign in attempt requires further verification because we did not recognize your device. To complete the sign in, enter the verification code on the unrecognized device.\n\nDevice: Chrome on Linux\nVerification code: 731904\n\nIf you did not attempt to sign in to your account, your password may be compromised. Visit https://github.com/settings/security to create a new, strong password for your GitHub account.\n\nThanks,\nThe GitHub Team",
    code: "731904"
  },
  {
    name: "Amazon style",
    subject: "amazon.com: Sign-in attempt",
    text: "Someone who knows your password is attempting to sign-in to your account.\nWhen:\tNov 21, 2026 10:04 AM PST\nDevice:\tGoogle Chrome Linux\nNear:\tCalifornia, United States\n\nIf this was you, your verification code is:\n\n204519\n\nIf this wasn't you: https://www.amazon.com/a/c/r?k=abc click here to deny it.",
    code: "204519"
  },
  {
    name: "Apple style",
    subject: "Your Apple ID Code",
    text: "Your Apple Account code is: 482910. Don't share it with anyone.",
    code: "482910"
  },
  { name: "PayPal style", text: "PayPal: 193840 is your security code. Don't share your code.", code: "193840" },
  {
    name: "Stripe style",
    subject: "Your Stripe verification code",
    text: "Your Stripe verification code is: 104-882. Don't share this code with anyone; our employees will never ask for the code.",
    code: "104882"
  },
  {
    name: "Steam style",
    subject: "Your Steam account: Access from new computer",
    html: "<p>robin,</p><p>Here is the Steam Guard code you need to login to account robin:</p><table><tr><td><h1>K7RTX</h1></td></tr></table><p>This email was generated because of a login attempt from a computer located at 203.0.113.4 (DE).</p>",
    code: "K7RTX"
  },
  {
    name: "Facebook style",
    subject: "FB-48219 is your confirmation code",
    html: "<p>Hi Robin,</p><p>You recently registered for Facebook. To complete your registration, please confirm your account.</p><a href='https://www.facebook.com/confirmemail.php?e=x&c=48219'>Confirm your account</a><p>You may be asked to enter this confirmation code:</p><p>FB-48219</p>",
    code: "48219"
  },
  {
    name: "LinkedIn style",
    subject: "Robin, here's your PIN",
    text: "Hi Robin,\n\nHere's your PIN to sign in: 559021\n\nPlease enter it within 15 min.",
    code: "559021"
  },
  {
    name: "Coinbase style",
    subject: "Coinbase 2-step",
    html: "<p>Your 2-step verification code</p><p style='font-size:40px'>7219043</p><p>Don't share this code with anyone.</p>",
    code: "7219043"
  },
  {
    name: "Discord style",
    subject: "Your Discord verification code is: 991-233",
    html: "<p>Hey robin,</p>",
    code: "991233"
  },
  {
    name: "a German bank, with an amount and an account",
    text: "Ihre TAN für die Überweisung über 1.250,00 EUR auf Konto DE89370400440532013000 lautet: 551092. Sparkasse",
    code: "551092"
  },
  { name: "a German bank, by mTAN", text: "mTAN 304 912 für Login am 21.11.2026 um 10:04 Uhr", code: "304912" },
  {
    name: "a Spanish bank, with an amount and a number to call",
    text: "BBVA: Tu clave de un solo uso es 88120934 para compra de 49,90 EUR en comercio X. Si no la reconoces llama al 900 102 801",
    code: "88120934"
  },
  {
    name: "Japanese, four digits",
    text: "【楽天】認証番号は 4821 です。この番号を他人に教えないでください。",
    code: "4821"
  },
  { name: "Chinese, another word for it", text: "【阿里云】校验码 730211，您正在登录，切勿告知他人。", code: "730211" },
  {
    name: "Russian, a warning first",
    text: "Никому не говорите код 4821! Его спрашивают только мошенники. Код для входа в СберБанк Онлайн.",
    code: "4821"
  },
  { name: "Arabic, another word for it", text: "كود التفعيل الخاص بك هو: 55210", code: "55210" },
  {
    name: "Portuguese, a bare word for it",
    subject: "Seu código",
    text: "Olá!\nSeu código é 120934.\nEle expira em 5 minutos.",
    code: "120934"
  },
  {
    name: "French, in groups of two",
    subject: "Code de connexion",
    html: "<p>Bonjour,</p><p>Voici votre code :</p><p><strong>48 21 93</strong></p><p>Service client 01 23 45 67 89</p>",
    code: "482193"
  },
  {
    name: "an Italian bank, in groups of four",
    text: "Poste Italiane: 4821 0934 e' il codice OTP per autorizzare l'operazione",
    code: "48210934"
  },
  {
    name: "a Polish bank, without accents",
    text: "mBank: Operacja nr 12 z dn. 21-11-2026 logowanie, haslo SMS: 48219034",
    code: "48219034"
  },
  {
    name: "a Turkish bank, without accents",
    text: "Sayin ROBIN, 482190 tek kullanimlik sifreniz ile islem yapabilirsiniz. B002",
    code: "482190"
  },
  {
    name: "Dutch, with an order number",
    subject: "Je code",
    text: "Gebruik deze code om in te loggen: 551 209\n\nBestelnummer: 44120933",
    code: "551209"
  },
  {
    name: "a meeting with its id",
    subject: "You've been invited to join Acme",
    text: "Room 4512. Meeting ID: 812 3456 7890\nPasscode: 482913\nDial by your location +1 646 558 8656",
    code: "482913"
  },
  {
    name: "a code beside a link",
    subject: "One-time verification code",
    html: "<table><tr><td>Hi Robin,</td></tr><tr><td>You have requested an email link to sign in to Acme. To finish signing in, click the button below or enter the provided code. This link expires in 5 minutes.</td></tr><tr><td><a href='https://acme.okta.com/email/verify/1234567890?token=aaa111'>Sign In</a></td></tr><tr><td>Can't use the link? Enter a code instead: <b>839201</b></td></tr></table>",
    code: "839201"
  },
  {
    name: "Zoom style",
    subject: "Code for signing in to Zoom",
    html: "<p>We received a sign in attempt</p><p>Use this code to sign in to Zoom. It expires in 10 minutes.</p><div style='font-size:28px'>640 882</div>",
    code: "640882"
  },
  {
    name: "a forwarding address that is confirmed",
    text: "Someone added 0a1b@inbox.example as a forwarding address. Enter this code to confirm: 4821",
    code: "4821"
  },
  {
    name: "a request id beside it",
    subject: "Your login code",
    text: "Request 3f2a9c1e-88b1-4d21-9c44-0d1e2f3a4b5c\nYour login code: 77120",
    code: "77120"
  }
]

export const moreWithoutCode: ReadonlyArray<Sample> = [
  // The same verbs and purposes, with numbers that are no codes.
  ...[
    "Use invoice 918273 to sign in to the payment portal.",
    "To log in, enter your customer number 918273 and your password.",
    "Use promo code 918273 at checkout. Log in to see more offers.",
    "There were 918273 in the list. Sign in to see them.",
    "Join 918273 people who sign in every day.",
    "Call 918273 to confirm your order.",
    "Ticket 918273: use the portal to log in.",
    "Geben Sie Ihre Kundennummer 918273 ein, um sich anzumelden.",
    "Sign in to see what 918273 travellers use.",
    "Order 918273 was shipped. Sign in to follow it."
  ].map((text) => ({ name: `a verb and another number: ${text}`, text, code: null })),
  {
    name: "an order of a shop",
    subject: 'Your Amazon.com order of "USB cable"',
    text: "Order Confirmation\nOrder #112-4821933-8841026\nHello Robin,\nThank you for shopping with us.\nArriving: Tuesday, November 24\nOrder Total: $23.45\nShip to: Robin, SEATTLE, WA 98101",
    code: null
  },
  {
    name: "words that are a code",
    subject: "Your temporary Notion login code is",
    html: "<p>Login</p><p><a href='https://www.notion.so/loginwithemail?x=1'>Click here to log in with this magic link</a></p><p>Or, copy and paste this temporary login code:</p><p>sparo-guld-liny-emtu</p>",
    code: null
  },
  {
    name: "a booking with a PIN",
    subject: "Booking confirmation 4821.903.112",
    text: "Thanks, Robin! Your booking in Berlin is confirmed.\nConfirmation number: 4821903112\nPIN code: 4821\nCheck-in Monday 23 November 2026\nTotal price € 240",
    code: null
  },
  {
    name: "a digest with numbers",
    subject: "Weekly digest #482",
    text: "1024 people read this. In 2025 we shipped 48 features. Password managers compared. Verify facts yourself. 12345 subscribers.",
    code: null
  },
  {
    name: "a password reset with a reference",
    subject: "Reset your password",
    text: "You requested a password reset. Click https://a.example/reset?token=abc1234567890def to choose a new password. Reference 88129931.",
    code: null
  },
  {
    name: "an invoice with a warning",
    subject: "Invoice INV-4821 from Acme",
    text: "Invoice INV-4821\nAmount due $482.91\nPO 551209\nPay by Nov 30, 2026\nSecurity: never share your password.",
    code: null
  },
  {
    name: "a German voucher",
    subject: "Ihr Gutschein",
    text: "Ihr Gutscheincode: XMAS2026\nEinlösbar bis 31.12.2026. 10% Rabatt auf Ihre nächste Bestellung.",
    code: null
  },
  {
    name: "a German parcel",
    subject: "Ihr Paket",
    text: "Ihr Paket 00340434292135100186 kommt. Abholcode 4821. Packstation 145.",
    code: null
  },
  {
    name: "a survey about a ticket",
    subject: "How did we do?",
    text: "Ticket 482913 was closed. Rate us: https://a.example/r/482913. Your account manager code name: ALPHA7.",
    code: null
  }
]
