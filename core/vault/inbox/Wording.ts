/**
 * The phrases of messages with links, in the languages of sites. Those about codes are in `code/Languages.ts`.
 *
 * All words are matched in lower case. Every pattern takes linear time.
 */

const anyOf = (...words: ReadonlyArray<string>): RegExp => new RegExp(words.join("|"), "gu")

/** Titles of messages that bring one link to sign in with. */
export const promisesLink =
  /magic link|(?:sign|log)[- ]?in link|login-?link|anmelde-?link|lien (?:magique|de connexion)|enlace (?:mágico|de acceso|de inicio de sesión|para iniciar sesión)|link (?:mágico|magico|de acesso|de login|di accesso)|inlog-?link|magische link|link (?:do )?logowania|magiczny link|giriş bağlantı|ссылка для входа|登录链接|登入連結|ログイン ?リンク|로그인 ?링크|رابط تسجيل الدخول/u

/** Titles that are about such links, and bring none. */
export const aboutLinks =
  /\?|(?<!\p{L})(?:why|how|what|introducing|announcing|built|about|new|warum|wie|neu|pourquoi|comment|nouveau|por qué|cómo|nuevo|perché|come|nuovo)(?!\p{L})/u

/** Words on links that sign in, or confirm something. */
export const enters = anyOf(
  "\\bsign[- ]?in\\b|\\blog[- ]?in\\b|\\blogin\\b|\\bverify\\b|\\bconfirm\\b|\\bactivate\\b|\\bauthenticate\\b|\\bauthori[sz]e\\b|magic link|\\bapprove\\b|yes, it['’]s me|\\bcontinue to\\b|\\baccess (?:your|my)\\b|\\bcomplete (?:sign|registration|your)|one[- ]click|\\bunlock\\b",
  "anmelden|einloggen|bestätigen|verifizieren|aktivieren|freischalten|se connecter|me connecter|connectez-vous|connexion|confirmer|confirmez|vérifier|activer|iniciar sesión|inicia sesión|acceder|accede|confirmar|confirma|verificar|verifica|activar|accedi|entra\\b|conferma|confermare|attiva|entrar|acessar|acesse|ativar|inloggen|log in|bevestigen|bevestig|verifiëren|activeren|zaloguj|potwierdź|zweryfikuj|aktywuj|giriş yap\\w*|oturum aç\\w*|doğrula\\w*|onayla\\w*|etkinleştir\\w*|войти|вход|подтвердить|подтвердите|подтверди|активировать|logga in|bekräfta|logg inn|bekreft|log ind|bekræft|kirjaudu|vahvista|přihlásit|ověřit|potvrdit|bejelentkezés|σύνδεση|επιβεβαίωση",
  "登录|登入|登錄|验证|驗證|确认|確認|激活|啟用|ログイン|サインイン|認証|有効化|로그인|인증|확인|활성화|تسجيل الدخول|تأكيد|تفعيل|تحقق|התחבר|כניסה|אימות|đăng nhập|xác minh|xác nhận|เข้าสู่ระบบ|ยืนยัน|masuk|verifikasi"
)

/** Words on links that do something else. */
export const elsewhere = anyOf(
  "unsubscribe|opt[- ]?out|privacy|terms|policy|imprint|\\bhelp\\b|support|contact|view (?:in|this)|in (?:your |a )?browser|web version|preferences|notification settings|\\bsettings\\b|facebook|twitter|instagram|linkedin|youtube|tiktok|app store|google play|download the app|learn more|\\bfaq\\b|\\bblog\\b|\\bcancel\\b|not you|wasn['’]t (?:me|you)|report|secure (?:your|my) account|forward(?:ing)? help|reset (?:your )?password|change (?:your )?password|shop|\\bdeny\\b|\\breject\\b|\\bdecline\\b|did(?:n['’]t| not) (?:request|sign)",
  "abmelden|abbestellen|datenschutz|impressum|agb|hilfe|désabonner|désinscrire|confidentialité|mentions légales|conditions|aide\\b|annuler|darse de baja|cancelar|privacidad|privacidade|ayuda|ajuda|condiciones|annulla|disiscriv\\w*|annulla l|assistenza|uitschrijven|afmelden|voorwaarden|annuleren|wypisz|anuluj|prywatności|pomoc|iptal|abonelikten|gizlilik|yardım|отписаться|отменить|помощь|поддержк\\w+|политик\\w+|退订|退訂|取消|隐私|隱私|帮助|幫助|配信停止|プライバシー|ヘルプ|キャンセル|수신거부|개인정보|고객센터|취소|إلغاء|الخصوصية|مساعدة"
)
