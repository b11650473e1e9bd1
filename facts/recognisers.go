package facts

import "strings"

// The kinds of credentials that are known, by what they are for. A row has the name of
// the kind, the literals that come before or in it, in small letters, and its shape.

// recogniserTable is all of them. What is assigned to a name that says that it is secret
// comes last: every other kind says more.
func recogniserTable() []*recogniser {
	var all []*recogniser
	for _, rows := range [][]*recogniser{cloudKeys, forgeKeys, messageKeys, paymentKeys, modelKeys, operationKeys, dataKeys, officeKeys, bareKeys} {
		all = append(all, rows...)
	}
	return append(all, assignedSecret, namedSecret)
}

// cloudKeys are credentials of clouds and hosts.
var cloudKeys = []*recogniser{
	key("aws access key", "akia asia abia acca", `\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b`),
	named("aws secret key", "aws", `[A-Za-z0-9/+]{40}`),
	key("aws secret key", "secret_access_key secretaccesskey", `(?i)secret_?access_?key['"]?\s{0,4}[=:]\s{0,4}['"]?([A-Za-z0-9/+]{40})\b`),
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
	key("netlify token", "nfp_", `\b(nfp_[A-Za-z0-9]{36,40})\b`),
	named("cloudflare token", "cloudflare", `[A-Za-z0-9_-]{40}|[0-9a-f]{37}`),
	key("tailscale key", "tskey-", `\b(tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9]+-[A-Za-z0-9]{20,})`),
	key("alibaba key", "ltai", `\b(LTAI[A-Za-z0-9]{20,26})\b`),
	key("tencent key", "akid", `\b(AKID[A-Za-z0-9]{32})\b`),
	key("heroku key", "hrku-aa", `\b(HRKU-AA[A-Za-z0-9_-]{58})`),
	key("mapbox token", "sk.eyj", `\b(sk\.eyJ[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{20,})`),
	key("neon key", "napi_", `\b(napi_[a-z0-9]{64})\b`),
	key("aws bedrock key", "absk", `\b(ABSK[A-Za-z0-9+/=]{90,140})`),
	key("google refresh token", "1//0", `\b(1//0[0-9A-Za-z_-]{40,})`),
	key("cloudflare key", "v1.0-", `\b(v1\.0-[a-f0-9]{24}-[a-f0-9]{146})\b`),
	key("azure shared key", "sharedaccesskey=", `(?i)SharedAccessKey=([A-Za-z0-9+/]{43}=)`),
	key("yandex key", "aqvn", `\b(AQVN[A-Za-z0-9_-]{35,38})\b`),
	key("ngrok token", "authtoken", `(?i)authtoken:?\s{1,4}([0-9][A-Za-z0-9]{24,30}_[0-9A-Za-z]{20,24})\b`),
	named("vercel token", "vercel", `[A-Za-z0-9]{24}`),
}

// forgeKeys are credentials of code, packages and what builds them.
var forgeKeys = []*recogniser{
	key("github token", "ghp_ gho_ ghu_ ghs_ ghr_", `\b(gh[pousr]_[A-Za-z0-9]{36,251})\b`).proven(crc62),
	key("github token", "github_pat_", `\b(github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b`),
	key("gitlab token", "glpat- gldt- glrt- glft- glsoat- glcbt- glimt- glagent- glptt- glffct- gloas-", `\b(gl(?:pat|dt|rt|ft|soat|cbt|imt|agent|ptt|ffct|oas)-[0-9A-Za-z_-]{20,})`),
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
	key("azure devops token", "azdo", `\b([A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})\b`).behind(77).when(around("abcdefghijklmnopqrstuvwxyz0123456789", 76, 4)),
	named("snyk token", "snyk", `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`),
	named("gitea token", "gitea", `[0-9a-f]{40}`),
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
	named("twilio token", "twilio_a", `[0-9a-f]{32}`),
	key("facebook token", "eaac eaab eaag", `\b(EAA[BCG][A-Za-z0-9]{90,})\b`),
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
	named("razorpay secret", "razorpay", `[A-Za-z0-9]{24}`),
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
	key("deepseek key", "sk-", `\b(sk-[0-9a-f]{32})\b`),
	key("elevenlabs key", "sk_", `\b(sk_[0-9a-f]{48})\b`),
	key("fireworks key", "fw_", `\b(fw_[A-Za-z0-9]{22,24})\b`).checked(notAWord),
	named("mistral key", "mistral", `[A-Za-z0-9]{32}`),
	named("cohere key", "co_api_key", `[A-Za-z0-9]{40}`),
	named("wandb key", "wandb", `[0-9a-f]{40}`),
}

// operationKeys are credentials of what runs and watches programs.
var operationKeys = []*recogniser{
	named("datadog key", "datadog", `[0-9a-f]{32}|[0-9a-f]{40}`),
	named("datadog key", "dd_ap", `[0-9a-f]{32}|[0-9a-f]{40}`),
	named("algolia key", "algolia", `[0-9a-f]{32}`),
	key("new relic key", "nrak- nrii- nral", `\b(NRAK-[A-Z0-9]{27}|NRII-[A-Za-z0-9_-]{32})\b`),
	key("grafana token", "glsa_ glc_ eyjrijoi", `\b(glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/=]{32,400}|eyJrIjoi[A-Za-z0-9+/=]{40,})`),
	key("sentry token", "sntrys_ sntryu_", `\b(sntry[su]_[A-Za-z0-9+/=_-]{40,})`),
	key("vault token", "hvs. hvb. hvr.", `\b(hv[sbr]\.[A-Za-z0-9_-]{24,})`),
	key("terraform token", ".atlasv1.", `\b([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70})`).behind(15).when(around("abcdefghijklmnopqrstuvwxyz0123456789", 14, 60)),
	key("pulumi token", "pul-", `\b(pul-[a-f0-9]{40})\b`),
	key("doppler token", "dp.pt. dp.st. dp.ct. dp.sa.", `\b(dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9._-]{40,})`),
	key("kubernetes secret", "client-key-data", `client-key-data['"]?:\s{0,4}['"]?([A-Za-z0-9+/=]{100,})`),
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
	key("database password", "://", `\b(?:postgres(?:ql)?|mysql|mariadb|rediss?|amqps?|mssql|sqlserver|clickhouse|cockroachdb|oracle|cassandra|neo4j|bolt|couch(?:db|base)|influxdb|elasticsearch|opensearch|snowflake|trino|presto|libsql|db2|redshift|vertica|nats)(?:\+[a-z0-9]{1,16})?://[^\s:/@'"]{0,64}:([^\s:/@'"<>{}$*]{6,})@`).low().behind(30).when(address),
	key("database password", "jdbc:oracle", `jdbc:oracle:[a-z]{1,8}:[^\s:/@'"]{1,64}/([^\s/@'"<>{}$*]{6,64})@`).checked(random),
	key("cloudinary secret", "cloudinary://", `\b(cloudinary://[0-9]{10,20}:[A-Za-z0-9_-]{20,}@)`),
	key("aiven password", "avns_", `\b(AVNS_[A-Za-z0-9_-]{19})\b`),
	key("database password", ":5432: :5433: :6432: :*:", `:(?:[0-9]{4}|\*):[^\s:]{1,64}:[^\s:]{1,64}:([^\s:<>{}$*]{8,100})`).behind(8).checked(noWord),
	key("database password", "identified by|password '|password \"", `(?i)\b(?:identified\s{1,3}by|password)\s{1,3}['"]([^\s'"<>{}$]{8,100})['"]`).checked(random),
	key("database password", "requirepass masterauth", `(?:requirepass|masterauth)\s{1,4}"?([^\s"<>{}$*]{12,200})`).when(command).checked(random),
}

// officeKeys are credentials of documents and work.
var officeKeys = []*recogniser{
	key("linear key", "lin_api_ lin_oauth_", `\b(lin_(?:api|oauth)_[A-Za-z0-9]{40,64})\b`),
	key("notion token", "secret_ ntn_", `\b(secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{46})\b`),
	key("figma token", "figd_", `\b(figd_[A-Za-z0-9_-]{40,})`),
	key("airtable token", "pat", `\b(pat[A-Za-z0-9]{14}\.[a-f0-9]{64})\b`),
	key("asana token", "asana", `(?i)asana[a-z_-]{0,20}['"]?\s{0,3}[=:]\s{0,3}['"]?([0-9](?:/[0-9]{16,}){1,2}:[0-9a-f]{32})`),
	key("postman key", "pmak-", `\b(PMAK-[a-f0-9]{24}-[a-f0-9]{34})\b`),
	key("1password token", "ops_ey", `\b(ops_eyJ[A-Za-z0-9+/=_-]{200,})`),
	key("contentful token", "cfpat-", `\b(CFPAT-[A-Za-z0-9_-]{43})`),
	key("adafruit key", "aio_", `\b(aio_[A-Za-z0-9]{28})\b`),
	key("dropbox token", "sl.", `\b(sl\.(?:u\.)?[A-Za-z0-9_-]{130,})`),
	key("hubspot token", "pat-na1 pat-na2 pat-eu1", `\b(pat-(?:na|eu)[0-9]-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b`),
	named("launchdarkly key", "launchdarkly", `(?:api|sdk|mob)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`),
	key("okta token", "ssws", `(?i)SSWS (00[A-Za-z0-9_-]{40})\b`).when(command),
}

// bareKeys are keys, hashes and passwords that stand for themselves.
var bareKeys = []*recogniser{
	key("private key", "-----begin", `-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`).low(),
	key("putty key", "putty-user-key-file", `PuTTY-User-Key-File-[23]: `).low(),
	key("age key", "age-secret-key-1", `\b(AGE-SECRET-KEY-1[0-9A-Z]{58})\b`).proven(bech32),
	key("password in an address", "://", `\b[a-z][a-z0-9+.-]{1,15}://[^\s:/@'"]{1,64}:([^\s:/@'"<>{}$*]{8,})@`).low().behind(16).when(address),
	key("jwt", "eyj", `\b(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,})`).checked(jwtHeader),
	key("private key", "ls0tls1crudjti", `\b(LS0tLS1CRUdJTi[A-Za-z0-9+/]{60,}={0,2})`).checked(keyInBase64),
	key("password hash", "$5$ $6$ $y$ $2a$ $2b$ $2y$ $apr1$ $argon2", `(\$(?:[56]|y|2[aby]|apr1|argon2id?)\$[A-Za-z0-9./$,=+]{20,})`),
	key("password hash", "{sha} {ssha}", `:\{SS?HA\}([A-Za-z0-9+/]{27,}={0,2})`).behind(1),
	key("extended private key", "xprv", `\b(xprv[1-9A-HJ-NP-Za-km-z]{107})\b`),
	key("wireguard key", "privatekey", `(?i)\bPrivateKey\s{0,3}=\s{0,3}([A-Za-z0-9+/]{43}=)`),
	key("bearer token", "authorization", `(?i)authorization['"]?\s{0,3}[:=]\s{0,3}['"]?(?:bearer|token)\s{1,3}([A-Za-z0-9.~+/=]{20,400})`).checked(unnamedToken),
	key("basic credentials", "authorization", `(?i)authorization['"]?\s{0,3}[:=]\s{0,3}['"]?basic\s{1,3}([A-Za-z0-9+/]{12,400}={0,2})`).checked(nameAndPassword),
	key("basic credentials", "\"auth\"", `"auth"\s{0,3}:\s{0,3}"([A-Za-z0-9+/]{12,400}={0,2})"`).checked(nameAndPassword),
	key("basic credentials", "_auth", `\b_auth\s{0,3}=\s{0,3}"?([A-Za-z0-9+/]{12,400}={0,2})`).behind(1).checked(nameAndPassword),
	key("netrc password", "login", `\blogin\s{1,4}\S{1,100}\s{1,4}password\s{1,4}([^\s<>{}$*]{8,100})`).when(command),
	key("password of a command", "login", `\blogin\b[^\n|;]{0,120}?\s(?:-p|--password)[ =]['"]?([^\s'"<>{}$-][^\s'"<>{}$]{7,100})`).when(command).checked(random),
	key("password of a command", "-password |", `(?i)\s--?(?:[a-z]{1,12}-){0,4}password\s{1,3}['"]?([^\s'"<>{}$-][^\s'"<>{}$]{7,100})`).behind(48).checked(random),
	key("password of a command", "--password-stdin|--with-token|sudo -s", `\b(?:echo|printf)\s{1,3}(?:-n\s{1,3}|'%s'\s{1,3})?['"]?([^\s'"<>{}$|]{8,200})['"]?\s{0,3}\|[^|\n]{1,80}(?:--password-stdin|--with-token|sudo -S)`).behind(240).checked(random),
	key("password of a command", "mongosh redis-cli sqlcmd", `\b(?:mongosh|redis-cli|sqlcmd)\b[^\n|;]{0,120}?\s-[apP][ =]?['"]?([^\s'"<>{}$-][^\s'"<>{}$]{7,100})`).when(command).checked(random),
	key("password of a command", "sqlplus", `\bsqlplus\s{1,3}(?:-[A-Za-z]{1,8}\s{1,3})?[^\s/'"]{1,64}/([^\s/@'"<>{}$]{8,64})@`).when(command).checked(random),
	key("password of a command", "openssl", `\bopenssl\b[^\n|;]{0,160}?\s(?:-k|-pass(?:in|out)?\s{1,3}pass:)\s{0,2}['"]?([^\s'"<>{}$]{8,100})`).when(command).checked(random),
	key("password of a command", "sshpass", `\bsshpass\s{1,3}-p\s{0,3}['"]?([^\s'"<>{}$]{8,100})`).when(command),
	key("password of a command", "curl", `\bcurl\b[^\n|;]{0,200}?\s(?:-u|--user)[ =]?['"]?[^\s:'"$]{1,64}:([^\s'"<>{}$]{8,100})`).checked(random).when(command),
	key("password of a command", "mysql", `\bmysql(?:dump|admin)?\b[^\n|;]{0,120}?\s-p([A-Za-z0-9!@#%^*_.-]{8,64})`).checked(notAWord).when(command),
	key("token in an address", "?access_token= &access_token= ?token= &token= ?api_key= &api_key= ?apikey= &apikey=", `[?&](?:access_token|token|api_?key)=([A-Za-z0-9_-]{24,200})`).checked(notAWord),
	key("django secret key", "secret_key", `(?i)SECRET_KEY['"]?\]?\s{0,4}[=:]\s{0,4}['"]?([a-z0-9!@#$%^&*(_=+)-]{40,120})(?:['"\s]|$)`).inWord().checked(signed),
	key("flask secret key", "secret_key", `(?i)secret_key['"]?\]?\s{0,4}[=:]\s{0,4}b['"]((?:\\x[0-9a-f]{2}|[^'"\\\s\[]){12,128})['"]`),
	key("laravel key", "app_key", `(?i)\bAPP_KEY['"]?\s{0,3}[=:]\s{0,3}['"]?base64:([A-Za-z0-9+/]{43}=)`),
	key("wordpress key", "auth_key auth_salt logged_in_key logged_in_salt nonce_key nonce_salt", `(?:AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)['"]\s{0,3},\s{0,40}['"]([^'"\n]{40,100})['"]`).inWord(),
	key("seed phrase", "mnemonic", `(?i)mnemonic`+phrase).inWord().checked(seed),
	key("seed phrase", "phrase seed", `(?i)(?:phrase|seed)`+phrase).inWord().checked(seed),
	key("api key", "x-api-key", `(?i)x-api-key['"]?\s{0,3}[:=]\s{0,3}['"]?([A-Za-z0-9]{24,200})\b`).checked(notAWord),
}

// assignedSecret is a text that a machine made up, given to a name that says that it
// is secret.
var assignedSecret = &recogniser{
	kind: "secret", literals: []string{"secret", "token", "passw", "api_key", "apikey", "api-key", "access_key", "private_key"},
	pattern: `(?i)(?:secret|token|passw(?:or)?d|api[_-]?key|access[_-]?key|private[_-]?key)[a-z0-9_.-]{0,24}['"]?\s{0,4}(?:=|:|=>|:=)\s{0,4}['"]([A-Za-z0-9+/_.~!@#%^&*-]{20,200})['"]`,
	entropy: 3.6, likely: assigned(20, `"'`), check: notAWord, guess: true,
}

// phrase is what stands between a name and the words of a wallet, and these.
const phrase = `[a-z _-]{0,16}['"]?(?: \([^)\n]{0,40}\))?\s{0,3}[=:]\s{0,4}['"\[]{0,2}((?:[a-z]{3,8}\s{1,3}){11,23}[a-z]{3,8}|(?:[a-z]{3,8}['"]?,\s{0,3}['"]?){11,23}[a-z]{3,8}|(?:[0-9]{1,2}[.):]? ?[a-z]{3,8}\s{1,3}){11,23}[0-9]{1,2}[.):]? ?[a-z]{3,8})\b`

// namedSecret is the same without quotes, or shorter, as in files of settings: the name ends
// with what it is, and the value is one that nobody would write for something else.
var namedSecret = &recogniser{
	kind: "secret", literals: []string{"secret", "token", "pass", "passw", "pwd", "_pw", "bindpw", "psk", "api_key", "apikey", "api-key", "access_key", "accesskey", "private_key", "master_key", "signing_key", "encryption_key"},
	pattern: `(?i)(?:secret|token|pass(?:w(?:or)?d|phrase)?|pwd|_pw|bindpw|psk|api[_-]?key|access[_-]?key|(?:private|master|signing|encryption)_key)(?:[_-](?:key|base|value|prod|[0-9]{1,2})){0,2}['"]?\]?` + gives + `['"]?([^\s"'<>{}$\\,;&|()` + "`" + `]{12,200})(?:["'\s,;&|<]|$)`,
	inside:  true, entropy: 3, likely: ofOwner, check: password, guess: true,
}

// gives is what stands between a name and its value: a sign, or that a value follows.
const gives = `(?:>|[ \t]{0,4}(?:=>|:=|=|:)[ \t]{0,4}|\s{0,4},[ \t]{0,4}|\s{1,24}value[ \t]{0,2}[:=][ \t]{0,3}|\s{0,3}:\s{0,3}\{\s{0,12}"value"\s{0,2}:\s{0,3})`

// ofOwner looks whether a name is given a value, and is not that of a place in a list, and
// no longer word.
func ofOwner(low string, at, end int) bool {
	if low[at:end] == "pass" && strings.HasPrefix(low[end:], "w") { // passw is a literal, too
		return false
	}
	value := valueBehind(low, end)
	if n := span(value, ofToken); n < 12 || !strings.ContainsAny(value[:n], "0123456789") { // none of a machine is without
		return false
	}
	before := low[max(0, at-8):at]
	if strings.HasSuffix(before, ":") { // a kind in the name of something
		return false
	}
	if word := low[at:end]; before != "" && (word == "pass" || word == "psk") && before[len(before)-1] >= 'a' && before[len(before)-1] <= 'z' {
		return false // to bypass
	}
	for _, of := range []string{"page", "page_", "page-", "next", "next_", "next-", "sync", "sync_", "csrf", "csrf_", "csrf-", "cancel", "tion_", "tion"} {
		if strings.HasSuffix(before, of) {
			return false
		}
	}
	return true
}

// valueBehind is the value behind a name, and what follows it; "" if there is none.
func valueBehind(low string, end int) string {
	i := end
	skip := func(set string, most int) {
		for last := min(len(low), i+most); i < last && strings.IndexByte(set, low[i]) >= 0; i++ {
		}
	}
	for last := min(len(low), end+28); i < last && (letter(low[i]) || low[i] == '-'); i++ {
	}
	skip("\"']", 3)
	skip(" \t\r\n", 24)
	if i >= len(low) {
		return ""
	}
	switch c := low[i]; {
	case c == '=' || c == ':' || c == ',' || c == '>':
		i++
		skip(" \t\r\n{", 16)
		if strings.HasPrefix(low[i:], `"value"`) {
			i += len(`"value"`)
		}
	case strings.HasPrefix(low[i:], "value"):
		i += len("value")
	default:
		return ""
	}
	skip(" \t=:\"'>", 8)
	return low[i:min(len(low), i+64)]
}

// command looks whether a literal begins a word that others follow.
func command(low string, at, end int) bool {
	for i := end; i < min(len(low), end+6); i++ {
		if c := low[i]; c == ' ' || c == '\t' || c == '\n' {
			return at == 0 || !letter(low[at-1])
		} else if !letter(c) {
			break
		}
	}
	return false
}
