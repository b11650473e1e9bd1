package facts

import "strings"

// wellKnown are names that are used so much that one letter less in a name is more
// likely a trap, or a slip, than another package.
var wellKnown = map[string]string{
	"npm": "react preact react-dom lodash express axios typescript webpack eslint prettier jest chalk commander debug moment dotenv uuid yargs vue vuex next nest nuxt fastify koa solid-js lit svelte rollup vite esbuild tailwindcss postcss autoprefixer " +
		"mongoose mongodb redis ioredis pg mysql mysql2 sequelize prisma knex graphql apollo-server socket.io nodemon cross-env rimraf glob minimist async bluebird request node-fetch cheerio puppeteer playwright electron " +
		"styled-components redux zustand formik zod joi ajv dayjs date-fns jsonwebtoken bcrypt passport cors helmet morgan multer nodemailer winston pino ts-node tslib rxjs mocha chai sinon vitest cypress husky lint-staged",
	"pip": "requests numpy pandas scipy matplotlib django flask fastapi uvicorn gunicorn sqlalchemy pydantic pytest tox black ruff mypy flake8 pylint isort click jinja2 werkzeug urllib3 certifi setuptools wheel boto3 botocore " +
		"tensorflow torch torchvision keras scikit-learn transformers datasets openai anthropic langchain beautifulsoup4 lxml scrapy selenium playwright pillow opencv-python cryptography paramiko fabric celery redis psycopg2 psycopg2-binary pymongo aiohttp httpx tqdm rich typer pyyaml python-dotenv colorama virtualenv poetry jupyter notebook ipython " +
		"python-dateutil attrs packaging charset-normalizer markupsafe itsdangerous marshmallow loguru grpcio protobuf xgboost lightgbm plotly seaborn statsmodels networkx sympy alembic asyncpg orjson starlette streamlit gradio huggingface-hub tokenizers accelerate safetensors nltk spacy pyarrow polars psutil kubernetes ansible sphinx mkdocs hypothesis coverage pre-commit",
	"cargo":    "serde serde_json tokio reqwest clap rand anyhow thiserror regex log env_logger tracing hyper axum actix-web rocket diesel sqlx chrono uuid rayon futures async-trait itertools once_cell lazy_static bytes crossbeam parking_lot tonic prost warp",
	"gem":      "rails rake rspec puma sidekiq devise nokogiri bundler sinatra rack pry rubocop capybara faker redis pg mysql2 activerecord activesupport",
	"composer": "laravel/framework symfony/symfony guzzlehttp/guzzle monolog/monolog phpunit/phpunit doctrine/orm",
}

// nearMiss gives the well-known name that a package's name is one slip away from.
func nearMiss(manager, name string) string {
	name = bareName(name)
	if len(name) < 4 {
		return ""
	}
	found := ""
	for known := range strings.FieldsSeq(wellKnown[manager]) {
		if known == name {
			return ""
		}
		if found == "" && oneSlip(known, name) {
			found = known
		}
	}
	return found
}

// bareName is a package's name without its version and extras, in small letters.
func bareName(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), "==")
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		name = name[:i]
	}
	name = strings.TrimRight(strings.SplitN(name, ">", 2)[0], " ~=<!")
	name, _, _ = strings.Cut(name, "[")
	return name
}

// oneSlip reports whether two names differ by one letter more, less or other, or by
// two that changed places.
func oneSlip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 || len(a) < 4 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch {
	case len(a) < len(b):
		rest := b[i+1:]
		return a[i:] == rest && strings.IndexByte("0123456789", b[i]) < 0 // a number is another package, as in mysql2
	case i == len(a):
		return false
	case a[i+1:] == b[i+1:]:
		return len(a) > 4 && strings.IndexByte("0123456789", b[i]) < 0
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
