package facts

// The kinds of credentials that are known, by what they are for. A row has the name of
// the kind, the literals that come before or in it, in small letters, and its shape.

// recogniserTable is all of them. What is assigned to a name that says that it is secret
// comes last: every other kind says more.
func recogniserTable() []*recogniser {
	var all []*recogniser
	for _, rows := range [][]*recogniser{cloudKeys, forgeKeys, messageKeys, paymentKeys, modelKeys, operationKeys, dataKeys, officeKeys, bareKeys} {
		all = append(all, rows...)
	}
	return append(all, assignedSecret)
}

// cloudKeys are credentials of clouds and hosts.
var cloudKeys = []*recogniser{
	key("aws access key", "akia asia abia acca", `\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b`),
	named("aws secret key", "aws", `[A-Za-z0-9/+]{40}`),
	key("google api key", "aiza", `\b(AIza[0-9A-Za-z_-]{35})\b`),
	key("google oauth secret", "gocspx-", `\b(GOCSPX-[0-9A-Za-z_-]{28})\b`),
	key("google oauth token", "ya29.", `\b(ya29\.[0-9A-Za-z_-]{20,})`),
	key("azure storage key", "accountkey=", `(?i)AccountKey=([A-Za-z0-9+/]{86}==)`),
	key("azure sas", "sig=", `[?&]sig=([A-Za-z0-9%/+]{43,}(?:%3D|=))`).behind(1).when(around("?&", 1, 43)),
	key("azure client secret", "8q~ 7q~", `\b([a-zA-Z0-9_~.]{3}[78]Q~[a-zA-Z0-9_~.-]{31,34})`).behind(4).when(around("", 0, 31)),
	key("digitalocean token", "dop_v1_ doo_v1_ dor_v1_", `\b(do[opr]_v1_[a-f0-9]{64})\b`),
	key("heroku key", "heroku", `(?i)heroku[a-z_-]{0,20}['"]?\s{0,3}[=:]\s{0,3}['"]?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})`),
	key("fly token", "fo1_ fm2_", `\b(fo1_[A-Za-z0-9_-]{43}|fm2_[A-Za-z0-9+/=]{100,})`),
	key("render key", "rnd_", `\b(rnd_[A-Za-z0-9]{28,})\b`),
	key("netlify token", "nfp_", `\b(nfp_[A-Za-z0-9]{36})\b`),
	named("cloudflare token", "cloudflare", `[A-Za-z0-9_-]{40}|[0-9a-f]{37}`),
	key("tailscale key", "tskey-", `\b(tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9]+-[A-Za-z0-9]{20,})`),
	key("alibaba key", "ltai", `\b(LTAI[A-Za-z0-9]{20,26})\b`),
	key("tencent key", "akid", `\b(AKID[A-Za-z0-9]{32})\b`),
	key("heroku key", "hrku-aa", `\b(HRKU-AA[A-Za-z0-9_-]{58})`),
	key("mapbox token", "sk.eyj", `\b(sk\.eyJ[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{20,})`),
	key("neon key", "napi_", `\b(napi_[a-z0-9]{64})\b`),
}

// forgeKeys are credentials of code, packages and what builds them.
var forgeKeys = []*recogniser{
	key("github token", "ghp_ gho_ ghu_ ghs_ ghr_", `\b(gh[pousr]_[A-Za-z0-9]{36,251})\b`).proven(crc62),
	key("github token", "github_pat_", `\b(github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b`),
	key("gitlab token", "glpat- gldt- glrt- glft- glsoat- glcbt- glimt- glagent-", `\b(gl(?:pat|dt|rt|ft|soat|cbt|imt|agent)-[0-9A-Za-z_-]{20,})`),
	key("bitbucket password", "atbb", `\b(ATBB[A-Za-z0-9]{32})\b`),
	key("atlassian token", "atatt3", `\b(ATATT3[A-Za-z0-9_=-]{180,})`),
	key("npm token", "npm_", `\b(npm_[A-Za-z0-9]{36})\b`).proven(crc62),
	key("npm token", "_authtoken", `(?i)_authToken\s{0,3}=\s{0,3}['"]?([A-Za-z0-9-]{36})\b`),
	key("pypi token", "pypi-", `\b(pypi-AgE[A-Za-z0-9_-]{50,})`),
	key("rubygems key", "rubygems_", `\b(rubygems_[a-f0-9]{48})\b`),
	key("crates.io token", "cio", `\b(cio[A-Za-z0-9]{32})\b`),
	key("nuget key", "oy2", `\b(oy2[a-z0-9]{43})\b`),
	key("docker token", "dckr_pat_ dckr_oat_", `\b(dckr_[po]at_[A-Za-z0-9_-]{27,})`),
	key("circleci token", "ccipat_", `\b(CCIPAT_[A-Za-z0-9]{22}_[a-f0-9]{40})\b`),
	key("buildkite token", "bkua_", `\b(bkua_[a-f0-9]{40})\b`),
	key("sonar token", "sqp_ squ_ sqa_", `\b(sq[pua]_[a-f0-9]{40})\b`),
	key("artifactory key", "akcp", `\b(AKCp[A-Za-z0-9]{60,73})\b`),
	key("readme key", "rdme_", `\b(rdme_[a-z0-9]{70})\b`),
}

// messageKeys are credentials of messages, mail and forms.
var messageKeys = []*recogniser{
	key("slack token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xapp-", `\b(x(?:ox[abeprs]|app)-[0-9A-Za-z-]{10,})`),
	key("slack webhook", "hooks.slack.com", `(https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,})`).behind(8).when(around("/", 2, 20)),
	key("discord webhook", "discord", `(https://(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60,})`).behind(16).when(around("", 0, 90)),
	named("discord bot token", "discord", `[MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,38}`),
	key("telegram bot token", ":aa", `\b([0-9]{8,10}:AA[0-9A-Za-z_-]{33})\b`).behind(11).when(around("0123456789", 8, 33)),
	key("teams webhook", "webhook.office.com", `(https://[a-z0-9.-]+\.webhook\.office\.com/webhookb2/[A-Za-z0-9@/-]{60,})`).behind(72).when(around("", 0, 70)),
	key("twilio key", "sk", `\b(SK[0-9a-f]{32})\b`),
	key("sendgrid key", "sg.", `\b(SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})\b`),
	key("mailgun key", "key-", `\b(key-[0-9a-f]{32})\b`),
	key("mailchimp key", "-us", `\b([0-9a-f]{32}-us[0-9]{1,2})\b`).behind(33).when(around("0123456789abcdef", 32, 1)),
	key("postmark token", "postmark", `(?i)postmark[a-z_-]{0,20}['"]?\s{0,3}[=:]\s{0,3}['"]?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})`),
	key("telegram session", "1baa", `\b(1BAA[A-Za-z0-9_-]{200,}=*)`),
	key("brevo key", "xkeysib-", `\b(xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16})\b`),
	key("resend key", "re_", `\b(re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24})\b`),
	key("typeform token", "tfp_", `\b(tfp_[A-Za-z0-9_-]{40,})`),
}

// paymentKeys are credentials of payments and shops.
var paymentKeys = []*recogniser{
	key("stripe key", "sk_live_ rk_live_ sk_test_ rk_test_", `\b((?:sk|rk)_(?:live|test)_[0-9A-Za-z]{16,})\b`),
	key("stripe webhook secret", "whsec_", `\b(whsec_[A-Za-z0-9+/=]{24,})`),
	key("paypal token", "access_token$production$", `(access_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32})`),
	key("square token", "sq0atp- sq0csp- eaaa", `\b(sq0(?:atp|csp)-[0-9A-Za-z_-]{22,43}|EAAA[a-zA-Z0-9_-]{60})\b`),
	key("shopify token", "shpat_ shpca_ shppa_ shpss_", `\b(shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})\b`),
	key("plaid token", "access-production- access-sandbox-", `\b(access-(?:production|sandbox)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b`),
	key("shippo token", "shippo_live_ shippo_test_", `\b(shippo_(?:live|test)_[a-f0-9]{40})\b`),
	key("easypost key", "ezak eztk", `\b(EZ[AT]K[A-Za-z0-9]{54})\b`),
	key("flutterwave key", "flwseck", `\b(FLWSECK(?:_TEST)?-[a-z0-9]{32}-X)\b`),
	key("duffel token", "duffel_live_ duffel_test_", `\b(duffel_(?:live|test)_[A-Za-z0-9_-]{43})`),
}

// modelKeys are credentials of language models.
var modelKeys = []*recogniser{
	key("openai key", "sk-", `\b(sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,})`),
	key("anthropic key", "sk-ant-", `\b(sk-ant-(?:api|admin|oat|ort)[0-9]{2}-[A-Za-z0-9_-]{80,})`),
	key("openrouter key", "sk-or-v1-", `\b(sk-or-v1-[0-9a-f]{64})\b`),
	key("groq key", "gsk_", `\b(gsk_[A-Za-z0-9]{52})\b`),
	key("xai key", "xai-", `\b(xai-[A-Za-z0-9]{80})\b`),
	key("perplexity key", "pplx-", `\b(pplx-[A-Za-z0-9]{48})\b`),
	key("replicate token", "r8_", `\b(r8_[A-Za-z0-9]{37})\b`),
	key("hugging face token", "hf_ api_org_", `\b((?:hf|api_org)_[A-Za-z]{34})\b`),
	key("nvidia key", "nvapi-", `\b(nvapi-[A-Za-z0-9_-]{60,70})`),
	key("langsmith key", "lsv2_", `\b(lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10})\b`),
	key("pinecone key", "pcsk_", `\b(pcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{60,64})\b`),
}

// operationKeys are credentials of what runs and watches programs.
var operationKeys = []*recogniser{
	named("datadog key", "datadog", `[0-9a-f]{32}|[0-9a-f]{40}`),
	key("new relic key", "nrak- nrii- nral", `\b(NRAK-[A-Z0-9]{27}|NRII-[A-Za-z0-9_-]{32})\b`),
	key("grafana token", "glsa_ glc_ eyjrijoi", `\b(glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/=]{32,400}|eyJrIjoi[A-Za-z0-9+/=]{40,})`),
	key("sentry token", "sntrys_ sntryu_", `\b(sntry[su]_[A-Za-z0-9+/=_-]{40,})`),
	key("vault token", "hvs. hvb. hvr.", `\b(hv[sbr]\.[A-Za-z0-9_-]{24,})`),
	key("terraform token", ".atlasv1.", `\b([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70})`).behind(15).when(around("abcdefghijklmnopqrstuvwxyz0123456789", 14, 60)),
	key("pulumi token", "pul-", `\b(pul-[a-f0-9]{40})\b`),
	key("doppler token", "dp.pt. dp.st. dp.ct. dp.sa.", `\b(dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9._-]{40,})`),
	key("kubernetes secret", "client-key-data", `client-key-data:\s+([A-Za-z0-9+/=]{100,})`),
	key("dynatrace token", "dt0c01. dt0s01. dt0s02.", `\b(dt0[cs]0[0-9]\.[A-Z0-9]{24}\.[A-Z0-9]{64})\b`),
	key("prefect key", "pnu_ pnb_", `\b(pn[ub]_[A-Za-z0-9]{36})\b`),
}

// dataKeys are credentials of databases.
var dataKeys = []*recogniser{
	key("databricks token", "dapi", `\b(dapi[a-f0-9]{32}(?:-[0-9])?)\b`),
	key("snowflake token", "snowflake", `(?i)snowflake[a-z_-]{0,20}(?:password|token)['"]?\s{0,3}[=:]\s{0,3}['"]?([^\s'"<>&;,]{12,})`),
	key("planetscale token", "pscale_", `\b(pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64})`),
	key("supabase key", "sbp_ sb_secret_", `\b(sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{31,})`),
	key("mongodb password", "mongodb", `mongodb(?:\+srv)?://[^\s:/@'"]+:([^\s:/@'"<>{}$*]{6,})@`).behind(0),
	key("database password", "://", `\b(?:postgres(?:ql)?|mysql|mariadb|redis|rediss|amqps?|mssql|clickhouse)://[^\s:/@'"]{0,64}:([^\s:/@'"<>{}$*]{6,})@`).low().behind(10).when(address),
	key("cloudinary secret", "cloudinary://", `\b(cloudinary://[0-9]{10,20}:[A-Za-z0-9_-]{20,}@)`),
}

// officeKeys are credentials of documents and work.
var officeKeys = []*recogniser{
	key("linear key", "lin_api_ lin_oauth_", `\b(lin_(?:api|oauth)_[A-Za-z0-9]{40,64})\b`),
	key("notion token", "secret_ ntn_", `\b(secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{46})\b`),
	key("figma token", "figd_", `\b(figd_[A-Za-z0-9_-]{40,})`),
	key("airtable token", "pat", `\b(pat[A-Za-z0-9]{14}\.[a-f0-9]{64})\b`),
	key("asana token", "asana", `(?i)asana[a-z_-]{0,20}['"]?\s{0,3}[=:]\s{0,3}['"]?([0-9]/[0-9]{16,}:[0-9a-f]{32})`),
	key("postman key", "pmak-", `\b(PMAK-[a-f0-9]{24}-[a-f0-9]{34})\b`),
	key("1password token", "ops_ey", `\b(ops_eyJ[A-Za-z0-9+/=_-]{200,})`),
	key("contentful token", "cfpat-", `\b(CFPAT-[A-Za-z0-9_-]{43})`),
	key("adafruit key", "aio_", `\b(aio_[A-Za-z0-9]{28})\b`),
}

// bareKeys are keys, hashes and passwords that stand for themselves.
var bareKeys = []*recogniser{
	key("private key", "-----begin", `-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`).low(),
	key("putty key", "putty-user-key-file", `PuTTY-User-Key-File-[23]: `).low(),
	key("age key", "age-secret-key-1", `\b(AGE-SECRET-KEY-1[0-9A-Z]{58})\b`).proven(bech32),
	key("password in an address", "://", `\bhttps?://[^\s:/@'"]{1,64}:([^\s:/@'"<>{}$*]{8,})@`).low().behind(6).when(address),
	key("jwt", "eyj", `\b(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,})`).checked(jwtHeader),
	key("password hash", "$6$ $y$ $2b$ $2y$ $argon2", `(\$(?:6|y|2[aby]|argon2id?)\$[A-Za-z0-9./$,=+]{20,})`),
	key("extended private key", "xprv", `\b(xprv[1-9A-HJ-NP-Za-km-z]{107})\b`),
}

// assignedSecret is a text that a machine made up, given to a name that says that it
// is secret.
var assignedSecret = &recogniser{
	kind: "secret", literals: []string{"secret", "token", "passw", "api_key", "apikey", "api-key", "access_key", "private_key"},
	pattern: `(?i)(?:secret|token|passw(?:or)?d|api[_-]?key|access[_-]?key|private[_-]?key)[a-z0-9_.-]{0,24}['"]?\s{0,4}(?:=|:|=>|:=)\s{0,4}['"]([A-Za-z0-9+/_.~!@#%^&*-]{20,200})['"]`,
	entropy: 3.6, likely: assigned(20, `"'`), check: notAWord, guess: true,
}
