/**
 * The phrases of messages with codes or links, in the languages of sites, and those of other messages.
 *
 * All words are matched in lower case. Every pattern takes linear time.
 */

const anyOf = (...words: ReadonlyArray<string>): RegExp => new RegExp(words.join("|"), "gu")

/** Words that only stand beside a code to sign in or to confirm something with. */
export const strong = anyOf(
  // English
  "(?:verification|security|login|log-in|log in|sign-in|signin|sign in|access|authentication|authorization|authorisation|confirmation|activation|identification|validation|one[- ]time|single[- ]use|temporary|two[- ]factor|2-step|two-step|2fa|mfa|sms|safety|passkey|auth) (?:pass ?code|code|pin|password|number|token)",
  "verify code|one[- ]time pass(?:word|code)|\\botp\\b|\\bpasscode\\b|\\bpass code\\b|\\btan\\b|\\bmtan\\b|code to (?:verify|sign|log|confirm|continue|complete|finish|access|authenticate|authori[sz]e)|verification pin",
  // German, Dutch, Scandinavian
  "(?:best(?:ä|ae)tigungs|verifizierungs|sicherheits|einmal|anmelde|zugangs|aktivierungs|freischalt|login-|verifikations|authentifizierungs)-?(?:code|kennwort|passwort|pin)|best(?:ä|ae)tigungs-?nummer",
  "(?:verificatie|beveiligings|bevestigings|inlog|toegangs|eenmalige |activerings)-?(?:code|pincode|wachtwoord)",
  "(?:bekräftelse|verifierings|säkerhets|engångs|inloggnings|bekreftelses|sikkerhets|engangs|bekræftelses|sikkerheds|verificerings|godkendelses)(?:kod|kode)\\w{0,3}|vahvistuskood\\w{0,4}|vahvistuskoodi",
  // French, Italian, Spanish, Portuguese, Catalan, Romanian
  "code (?:de |d['’ ])(?:vérification|verification|sécurité|securite|connexion|confirmation|validation|acc(?:è|e)s|activation|authentification|identification)|code (?:à usage unique|unique|secret|temporaire)|mot de passe (?:à usage unique|temporaire|unique)",
  "codice (?:di |d['’])(?:verifica|sicurezza|accesso|conferma|attivazione|autenticazione|autorizzazione)|codice (?:otp|monouso|temporaneo|usa e getta)|password monouso",
  "c(?:ó|o)digo de (?:verificación|verificacion|seguridad|acceso|confirmación|confirmacion|activación|inicio|un solo uso|autenticación|autorización|verificação|verificacao|segurança|seguranca|acesso|confirmação|confirmacao|ativação|autenticação|login|uso único)|c(?:ó|o)digo (?:temporal|único|unico|otp)|(?:contraseña|clave) (?:de un solo uso|temporal|dinámica)|codi de verificació|cod(?:ul)? de (?:verificare|securitate|confirmare|autentificare)",
  // Polish, Czech, Slovak, Hungarian, Turkish, Greek
  "kod(?:u|em)? (?:weryfikacyjn\\w{1,3}|bezpieczeństwa|dostępu|potwierdzając\\w{1,3}|autoryzacyjn\\w{1,3}|aktywacyjn\\w{1,3}|logowania|jednorazow\\w{1,3}|sms)|jednorazow\\w{1,3} (?:kod|hasło|haslo)\\w{0,2}|has[łl]o sms",
  "ověřovací kód\\w{0,2}|bezpečnostní kód|potvrzovací kód|jednorázov\\w{1,2} k(?:ó|o)d\\w{0,2}|overovací kód|(?:ellenőrző|megerősítő|biztonsági|belépési) ?kód\\w{0,3}",
  "(?:doğrulama|onay|güvenlik|giriş|giris|aktivasyon|tek kullanımlık|tek kullanimlik|dogrulama|guvenlik) (?:kodu\\w{0,3}|[şs]ifre\\w{0,3}|parola\\w{0,2})|κωδικ(?:ός|ό|ού) (?:επαλήθευσης|ασφαλείας|μίας χρήσης|επιβεβαίωσης)",
  // Russian, Ukrainian, Bulgarian
  "код\\w{0,2} (?:подтверждения|безопасности|доступа|проверки|авторизации|активации|входа|для входа|для подтверждения|для авторизации|підтвердження|безпеки|доступу|перевірки|за потвърждение)|(?:проверочный|одноразовый|защитный|секретный|перевірочний|одноразовий) (?:код|пароль)|одноразов\\S{1,3} парол\\S{0,2}",
  // Chinese, Japanese, Korean
  "验证码|驗證碼|校验码|校驗碼|动态码|动态密码|動態密碼|安全码|安全代码|安全碼|确认码|確認碼|激活码|认证码|認證碼|一次性密码|一次性密碼|登录码|登入碼|验证代码|登录代码",
  "認証コード|認証番号|確認コード|検証コード|セキュリティ ?コード|ワンタイム ?(?:パスワード|コード)|ログイン ?コード|認証キー|認証用コード|本人確認コード|パスコード",
  "인증 ?번호|인증 ?코드|확인 ?코드|보안 ?코드|로그인 ?코드|일회용 ?(?:비밀번호|코드|암호)|본인 ?확인 ?번호",
  // Arabic, Persian, Hebrew, Hindi, Thai, Vietnamese, Indonesian
  "رمز (?:ال)?(?:تحقق|تأكيد|أمان|دخول|تفعيل|مرور لمرة واحدة|تایید|ورود)|رمز (?:التحقق|التأكيد|الأمان|الدخول|التفعيل)|كود (?:التحقق|التفعيل)|کد (?:تایید|تأیید|ورود)",
  "קוד (?:אימות|האימות|הגישה|אבטחה|כניסה|חד-פעמי|חד פעמי)|सत्यापन कोड|ओटीपी|रहस्य कोड|รหัส(?:ยืนยัน|ความปลอดภัย| ?otp|ผ่านครั้งเดียว)|mã (?:xác minh|xác nhận|xác thực|otp|bảo mật)|kode (?:verifikasi|keamanan|otp|konfirmasi|masuk)|kod pengesahan"
)

/** Words for a code of any kind. */
export const weak = anyOf(
  "\\bcodes?\\b|\\bpin\\b|\\bkode?n?\\b|\\bkodu\\w{0,3}|\\bkode\\w{0,2}|\\bcódigo\\b|\\bcodigo\\b|\\bcodice\\b|\\bcod(?:ul)?\\b|\\bkódu?\\b|\\bkoodi\\b|\\bkennwort\\b|κωδικ(?:ός|ό)|(?<!\\p{L})код(?:ом|а|у)?(?!\\p{L})|(?<!\\p{L})пароль(?!\\p{L})",
  "代码|密码|密碼|コード|暗証番号|코드|رمز|كود|کد|קוד|कोड|รหัส|(?<!\\p{L})mã(?!\\p{L})"
)

/** Words for codes of other kinds, or for numbers that are not codes. */
export const foreign = anyOf(
  "(?:zip|postal|post|area|country|error|status|qr|bar|source|dress|promo|promotion|promotional|coupon|discount|voucher|gift|gift card|offer|referral|invite|tracking|product|item|sort|bank|swift|bic|branch|routing|model|booking|reservation|order|customer|client|vat|tax|hs|sku|store|savings|checkout|redemption|pickup|locker|conduct|company|dial(?:ing|ling)?)[- ]?codes?\\b|\\bcode (?:promo|postal|of conduct|review|block|snippet|base|client|produit|article|barre|pénal|civil|freeze)|\\bcodebase\\b|\\buse code\\b|\\bwith code\\b|\\bcode at checkout\\b|\\benter code at checkout\\b",
  "gutschein\\w*|rabatt-?code\\w*|aktions-?code\\w*|postleitzahl|\\bplz\\b|kortingscode\\w*|postcode|c(?:ó|o)digo (?:postal|promocional|de descuento|de desconto|de barras|de producto|de reserva|de seguimiento|de rastreio)|\\bcupom\\b|\\bcup(?:ó|o)n\\b|codice (?:fiscale|sconto|postale|prodotto|cliente|prenotazione|promozionale|a barre)|kod (?:pocztowy|rabatowy|promocyjny|kreskowy)|posta kodu|indirim kodu|kupon|промокод\\w*|почтовый индекс|(?<!\\p{L})индекс(?!\\p{L})|优惠码|優惠碼|优惠券|邮编|邮政编码|折扣码|取件码|クーポン\\w*|郵便番号|쿠폰|할인 ?코드|우편번호|كود الخصم|رمز بريدي|الرمز البريدي",
  "\\b(?:order|invoice|receipt|tracking|reference|ref|case|ticket|customer|client|account|acct|member|membership|booking|reservation|confirmation|transaction|payment|policy|contract|serial|part|item|model|document|request|shipment|parcel|package|flight|gate|seat|room|suite|unit|apt|id|sku|imei|iban|vat|tax|ein|license|licence|registration|phone|tel|telephone|fax|mobile|call|p\\.?o\\.? box|street|build|version|release|port|error|issue|bug|pull request|page|article|section|chapter|copyright|serial|tan id)\\.? ?(?:number|no\\.?|nr\\.?|num\\.?|id|#|№|:)(?= |$|[:#.\\d])",
  "\\b(?:invoice|order|ticket|case|flight|tracking|shipment|ref) (?=#?\\w*\\d)|\\border(?= #)",
  "\\w{0,40}(?:bestell|rechnungs|kunden|vorgangs|sendungs|auftrags|vertrags|mitglieds|konto|telefon|buchungs|referenz|ticket|artikel|fall|beleg|steuer|haus|handy)-?(?:nummer|nr\\.?|id)|(?:bestel|factuur|klant|order|zaak|referentie|telefoon|volg|rekening)-?nummer|num(?:é|e)ro de (?:commande|facture|client|dossier|suivi|téléphone|compte|référence|telephone)|\\bréf\\w*|\\bcommande n|\\bfacture n|n(?:ú|u)mero de (?:pedido|factura|fatura|cliente|cuenta|conta|caso|seguimiento|rastreo|rastreamento|teléfono|telefone|referencia|referência|protocolo)|\\bpedido\\b|\\bfactura\\b|\\bfatura\\b|\\bprotocolo\\b|numero (?:d['’]ordine|ordine|di ordine|fattura|cliente|pratica|di telefono|telefono|di spedizione)|\\bordine n|\\bfattura n|\\bp\\.? ?iva\\b|numer (?:zamówienia|klienta|faktury|przesyłki|telefonu|sprawy|referencyjny)|zamówieni\\w* nr|zamówienie|\\bnip\\b|\\bregon\\b|(?:sipariş|müşteri|fatura|takip|telefon|kargo|referans) (?:numara\\w*|no)|\\bfatura\\b|(?:номер (?:заказа|счета|телефона|договора|клиента|обращения|отправления|заявки))|заказ\\w* ?(?:№|номер)?|(?<!\\p{L})тел(?!\\p{L})|(?<!\\p{L})инн(?!\\p{L})|订单(?:号|编号)?|訂單(?:編號)?|快递|运单号?|单号|电话|電話|客服热线|热线|工单|编号|注文番号|ご注文番号|お問い合わせ番号|お客様番号|会員番号|受付番号|伝票番号|追跡番号|予約番号|電話番号|주문 ?번호|송장 ?번호|운송장|고객 ?번호|전화|문의|예약 ?번호|접수 ?번호|رقم (?:الطلب|الفاتورة|الهاتف|العميل|الحساب|المرجع|التتبع)|هاتف|מספר (?:הזמנה|לקוח|טלפון)",
  "\\b(?:total|subtotal|amount|price|balance|due|paid|payment of|sum|summe|gesamt|betrag|montant|importe|importo|totale|totaal|suma|kwota|toplam|tutar|valor|сумма|итого)\\b|合计|金额|金額|合計|総額|총액|금액|المبلغ|الإجمالي",
  "\\b(?:ending(?: in| with)?|ends in|last (?:four|4|two|2)(?: digits)?|endet auf|endend auf|se terminant par|terminad[oa] en|terminad[oa] em|che termina con|eindigend op)\\b|尾号|末尾|下4桁|뒷자리"
)

/**
 * Sentences that ask for a code without a word for it, as in `use 482913 to sign in`: a verb of giving that ends right
 * before the code, or begins right behind it, and what the code is given for.
 */
export const giving = {
  before:
    /(?:(?<!\p{L})(?:use|enter|type(?: in)?|input|submit|geben sie|gib|verwenden? sie|verwende|benutzen? sie|nutzen sie|saisissez|entrez|tapez|utilisez|usa|utiliza|utilice|introduce|introduzca|ingresa|ingrese|escribe|digita|digite|insira|utilize|inserisci|immetti|utilizza|gebruik|voer|typ|vul|wpisz|podaj|użyj|wprowadź|zadejte|zadajte|введите|используйте|укажите|введіть)(?: bitte| por favor)? ?|输入 ?|輸入 ?|填写 ?|使用 ?)["'«“„(]?$/u,
  after:
    /^["'»”“)]? ?(?:(?:eingeben|ein|in(?= om )|girin|giriniz|yazın|kullanın)(?!\p{L})|を入力|をご入力|을 ?입력|를 ?입력|입력)/u,
  purpose:
    /(?<!\p{L})(?:sign(?:ing)?[- ]?in|log(?:ging)?[- ]?in|verify|confirm|authenticate|continue|finish signing|access your|anmelden|anzumelden|einloggen|einzuloggen|bestätigen|verifizieren|connecter|connexion|vérifier|confirmer|iniciar sesión|inicia sesión|acceder|verificar|confirmar|entrar|acessar|accedere|confermare|verificare|in te loggen|inloggen|bevestigen|zalogować|potwierdzić|zweryfikować|přihlásit|prihlásiť|giriş|oturum|doğrula\p{L}*|войти|входа|подтвердить|подтверждения|увійти)(?!\p{L})|登录|登入|登錄|验证|驗證|ログイン|認証|로그인|인증/u
} as const

/** Titles of messages that bring one link to sign in with. */
export const promisesLink =
  /magic link|(?:sign|log)[- ]?in link|login-?link|anmelde-?link|lien (?:magique|de connexion)|enlace (?:mágico|de acceso|de inicio de sesión|para iniciar sesión)|link (?:mágico|magico|de acesso|de login|di accesso)|inlog-?link|magische link|link (?:do )?logowania|magiczny link|giriş bağlantı|ссылка для входа|登录链接|登入連結|ログイン ?リンク|로그인 ?링크|رابط تسجيل الدخول/u

/** Titles that are about such links, and bring none. */
export const aboutLinks =
  /\?|(?<!\p{L})(?:why|how|what|introducing|announcing|built|about|new|warum|wie|neu|pourquoi|comment|nouveau|por qué|cómo|nuevo|perché|come|nuovo)(?!\p{L})/u

/** Words of a sign-in or a confirmation of identity. */
export const authentic = anyOf(
  "\\bsign(?:ing)?[- ]?in\\b|\\blog(?:ging)?[- ]?in\\b|\\blogin\\b|\\bverif(?:y|ying|ication|ied)\\b|\\bconfirm\\b|\\bauthenticat\\w+|\\bpassword\\b|two-factor|\\b2fa\\b|never share|do(?:n['’]t| not) share|if you did(?:n['’]t| not) request|nobody from|expires? in|valid for|valid until|identity",
  "anmeld\\w+|einlogg\\w+|bestätig\\w+|verifizier\\w+|passwort|gültig|nicht weitergeben|niemandem|connexion|connecter|vérifi\\w+|confirm\\w+|mot de passe|valable|expire|ne (?:le )?(?:partagez|communiquez)|iniciar sesión|inicio de sesión|verific\\w+|contraseña|caduca|no (?:lo )?compart\\w+|acced\\w+|accesso|scade|non condivid\\w+|entrar|acessar|senha|expira|não compartilhe|inlogg\\w+|verifieer|bevestig\\w+|wachtwoord|geldig|verloopt|deel deze|zalogow\\w+|logowani\\w+|hasło|ważny|wygasa|nie udostępniaj|giriş|doğrula\\w*|onayla\\w*|şifre|geçerli|paylaşma\\w*",
  "войти|вход\\w*|подтверд\\w+|пароль|действител\\w+|не сообщайте|никому|登录|登入|登錄|验证|驗證|分钟内|分鐘內|有效|请勿|請勿|泄露|ログイン|認証|確認|有効|分以内|로그인|인증|확인|유효|분 이내|타인에게|تسجيل الدخول|تأكيد|صالح|لا تشارك|דקות|אל תשתף"
)

/** The phrases of shops, carriers and newsletters. Their numbers are no codes, even where they are called so. */
export const commerce = anyOf(
  "\\border(?:ed)?\\b|\\binvoice\\b|\\breceipt\\b|\\bshipp(?:ed|ing|ment)\\b|\\bdeliver(?:y|ed)\\b|\\btracking\\b|\\bparcel\\b|\\bitinerary\\b|\\breservation\\b|\\bbooking\\b|\\bflight\\b|\\bcheck-in\\b|\\bpassengers?\\b|\\bguests?\\b|\\bsubtotal\\b|\\bsale\\b|% off|\\bdiscount\\b|\\bcoupon\\b|\\bpromo\\b|\\bnewsletter\\b|\\bunsubscribe\\b|\\bfree shipping\\b|\\bcheckout\\b|\\bqty\\b|\\bshop now\\b|\\bstatement\\b",
  "bestellung|rechnung|versand|lieferung|sendung|rabatt|gutschein|abbestellen|commande|facture|livraison|colis|remise|désabonner|pedido|factura|envío|descuento|cupón|ordine|fattura|spedizione|sconto|fatura|desconto|frete|bestelling|factuur|korting|zamówieni\\w+|przesyłk\\w+|rabat|sipariş|kargo|indirim|заказ|доставк\\w+|скидк\\w+|订单|訂單|快递|优惠|包裹|ご注文|発送|お届け|クーポン|주문|배송|할인|طلبك|شحن|خصم"
)

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
