"""The words that decide, as tables. Pure data, matched by whole words.

Verbs are listed in their plain form, and `grammar.forms` derives the others. The meaning of a word next to
another one is a table too: a "switch statement" is no switch on a page.
"""

from enum import StrEnum
from typing import Final, NamedTuple

from signoff.text.phrases import word_set

# --- verbs ---

GOAL_VERBS: Final = """
add adjust allow append apply archive attach audit backport batch bind block build bump cache calculate call
cap change check clarify clean clear close collect combine compare compile compress compute configure
connect convert copy correct count create decode decouple define delete deprecate derive describe detect
disable disallow display document drop emit enable encode encrypt enforce ensure escape exclude export
expose extend extract fetch filter fix forbid format generate group guard handle harden hide highlight
ignore implement import improve include increase index initialise initialize inject inline insert install
instrument integrate introduce invalidate isolate join keep let limit link list load localise localize log
lower make map mark mask memoize merge migrate mock modify move name normalise normalize notify omit open
optimise optimize order paginate parse pass patch persist polish populate prefer prevent print process
propagate protect provide publish purge put raise randomise randomize read rearrange rebuild record redesign
redirect reduce refactor register reject relabel release reload remember remove rename render reorder
reorganise reorganize repair replace report reproduce require reset resize resolve respect restore restrict
restructure retry return reuse revert rework rewrite roll rotate round run sanitise sanitize save scaffold
schedule search select send serialise serialize serve set share ship shorten show simplify skip sort speed
split standardise standardize start stop store stream strip style submit support suppress swap switch sync
test throttle tighten toggle track transform translate trim truncate tune turn tweak unify update upgrade
upload use validate verify warn wipe wire wrap write
"""

CONCEPT_VERBS: Final = "explain clarify elaborate teach tell summarise summarize discuss"

DESTRUCTIVE_VERBS: Final = "drop delete truncate purge wipe destroy erase nuke obliterate"
REMOVING_VERBS: Final = "remove clear empty flush reset format"
WEAKENING_VERBS: Final = "disable bypass skip deactivate circumvent"
PHRASAL_VERBS: Final = {
    ("turn", "off"): "disable",
    ("switch", "off"): "disable",
    ("comment", "out"): "disable",
    ("get", "rid", "of"): "remove",
    ("blow", "away"): "destroy",
    ("throw", "away"): "destroy",
    ("clear", "out"): "empty",
}

IRREGULAR: Final = {
    "build": "builds built building",
    "hide": "hides hid hidden hiding",
    "keep": "keeps kept keeping",
    "forget": "forgets forgot forgotten forgetting",
    "let": "lets letting",
    "make": "makes made making",
    "put": "puts putting",
    "read": "reads reading",
    "rebuild": "rebuilds rebuilt rebuilding",
    "reset": "resets resetting",
    "rewrite": "rewrites rewrote rewritten rewriting",
    "run": "runs ran running",
    "send": "sends sent sending",
    "set": "sets setting",
    "show": "shows showed shown showing",
    "split": "splits splitting",
    "speed": "speeds sped speeding",
    "tell": "tells told telling",
    "teach": "teaches taught teaching",
    "write": "writes wrote written writing",
}

DOUBLED: Final = word_set("""
    cap drop forbid format log map omit plan prefer ship skip stop strip submit swap tag trim wrap
""")
"""Verbs that double their last letter: dropped, dropping."""

JOINERS: Final = (("and", "then"), ("and", "also"), ("plus",), ("as", "well", "as"))
"""Two goals in one prompt."""

NOTHING_SAID: Final = word_set("""
    a all an and any anything app application as at be better bit bug bugs can cleaner clean code
    codebase cool could do done everything fast faster few for function functionality good great i in is
    issue issues it just kind make makes me more my nice nicer now of ok okay on our please problem
    problems program project proper properly quick quickly really repo repository right site smarter so
    software some somehow something sort stuff system task that the them there these they thing things
    this those to tool up us very way we website whole with work working works would you your
""")
"""Words that name nothing to work on."""

# --- scope ---

DOMAIN_NOUNS: Final = word_set("""
    account accounts admin api apis auth authentication authorization backend billing cache cart
    checkout cli client command commands config configuration controller controllers dashboard database
    endpoint endpoints export exporter exports form forms frontend handler import importer imports
    invoice invoices job jobs logger login logout middleware migration migrations model models
    notification notifications order orders page pages parser password payment payments profile queue
    queues report reports scheduler schema search serializer session sessions settings signup template
    templates token tokens ui upload uploads user users validator view views webhook webhooks worker
    workers
""")

# --- data and stack ---

DATA_WORDS: Final = word_set("""
    cache caches column columns database databases db dependencies dependency framework frameworks index
    indexes indices libraries library migration migrations package packages queue queues schema schemas
    table tables
""")
STACK_PRODUCTS: Final = word_set("""
    dynamodb elasticsearch kafka mariadb mongo mongodb mysql postgres postgresql rabbitmq redis sqlite
""")
CHANGE_WORDS: Final = word_set("upgrade upgrades upgrading deploy deploys deployment deprecate deprecates")
STACK_PHRASES: Final = (("breaking", "change"), ("breaking", "changes"), ("api", "version"))
TARGETED: Final = word_set("""
    table column index file migration queue schema package library database cache tables columns indexes
    indices files migrations queues schemas packages libraries databases caches
""")
UNSPECIFIC: Final = word_set("""
    new old existing current other another whole entire same different proper better more big large
    small simple database db sql data relevant necessary required needed correct main some
""")

LINKS: Final = word_set("in on of for to with from by and or into as is are via per at no without")

# --- what cannot be taken back ---

STORES: Final = word_set("""
    table tables database databases db dbs backup backups bucket buckets datastore datastores
""")
DATA_OWNERS: Final = word_set("users customers accounts tenants subscribers members")
DATA_HEADS: Final = word_set("rows records data entries documents everything content contents files orders")
LIVE: Final = frozenset(word_set("production prod live"))
LIVE_HEADS: Final = word_set("""
    data database databases db server servers environment cluster users customers accounts table tables
    bucket buckets records rows instance instances system systems deployment namespace volume volumes
    backups backup
""")
TRAILING: Final = word_set("""
    afterwards again altogether anyway asap cascade entirely everywhere first forever here instead
    manually now older please right soon straight then there today together tomorrow tonight too away
""")
"""What may follow a thing without naming another."""

QUANTIFIERS: Final = word_set("all every each entire whole any")
HARMLESS: Final = word_set("""
    test tests testing fixture fixtures mock mocked fake dummy sample temporary temp tmp scratch demo
    in-memory on-a-page
""")
"""What makes a thing one's own, or a drawing of it: a test database may go."""
CACHES: Final = word_set("cache caches")
"""What a program fills again by itself: "the database cache" is no database."""

ON_A_PAGE: Final = word_set("""
    contents page screen view component dropdown menu form modal ui readme docs documentation document
    markdown template html sidebar slide
""")
CODE_ENDINGS: Final = word_set("blade.php css html htm jsx md mdx rst scss svelte tsx txt vue")
CODE_HEADS: Final = word_set("""
    access adapter alias api assertion attribute block body branch builder button call case cell cells
    class classes client code column-header comment comments component config configuration connection
    connections const constant constants controller credentials cursor default definition dependency
    directory documentation driver dropdown duplicate editor element endpoint endpoints entity enum
    example examples exception extension factory field file filter filters fixture flag folder form
    format formatter function functions grid guard handle handler header headers helper helpers hook
    icon import imports interface job key label layer layout line lines link listener loader lock locks
    log logging logic manager mapper message messages method methods middleware mixin mock model module
    modules name names object option override package page param parameter parameters pool prefix
    property queries query reader renderer repository resolver route script section serializer service
    services setting settings snippet statement statements stub style styles suffix support symbol tab
    task template test tests text title token tooltip type types typo url validator value variable
    variables view viewer warning whitespace widget width workaround wrapper writer zero zeros
""")
"""Parts of a program, which version control brings back."""

GUARDS_OF_SAFETY: Final = word_set("""
    auth authentication authorization authorisation security encryption firewall csrf access-control
    access-controls access-checks audit-log audit-logs audit-logging branch-protection
    certificate-checks certificate-validation certificate-verification csrf-protection login-check
    login-checks permission-check permission-checks security-checks security-check security-scan
    security-headers signature-verification signature-check ssl-verification tls-verification
    ssl-validation tls-validation secret-scanning auth-check auth-checks authentication-check
    authentication-checks code-review
""")
"""What keeps the work safe. Written as one word, each is matched as two as well."""
TEST_SUITES: Final = word_set("tests test-suite suite unit-tests integration-tests failing-tests")
FAILING: Final = word_set("all every failing broken red entire whole")


class VetoFault(StrEnum):
    """The kinds of destruction that are vetoed."""

    DATA_LOSS = "data_loss"
    FILES_LOSS = "files_loss"
    HISTORY_REWRITE = "history_rewrite"
    SAFETY_OFF = "safety_off"


IN_LIVE: Final = "in-live"
"""Said of a thing that is taken from production: "old logs from production"."""
OUT_OF_DATA: Final = "out-of-data"
"""Said of a thing that is taken out of a store: "rows from the users table"."""


class Harm(NamedTuple):
    """A line of the veto table: one of `verbs`, done to one of `things` of which one of `said` is said."""

    code: VetoFault
    verbs: frozenset[str]
    things: frozenset[str] = frozenset()
    """Empty: anything."""
    said: frozenset[str] = frozenset()
    """Empty: nothing need be said of it."""
    is_told: bool = False
    """Counts without an order, too, when a certain thing is meant: "a script that drops the users table"."""


_DESTROY: Final = word_set(DESTRUCTIVE_VERBS)
_TAKE: Final = word_set(f"{DESTRUCTIVE_VERBS} {REMOVING_VERBS}")
_TAKE_ALL: Final = _TAKE - {"flush", "format", "reset"}
"""Verbs that destroy all of it; "flush all records" may write them to the disk."""
_DROP: Final = word_set("delete remove drop")
_MACHINES: Final = word_set("disk drive filesystem cluster namespace volume volumes")
_STRUCTURES: Final = word_set("schema schemas collection collections")
_BRANCHES: Final = word_set("branches repository repo")

DATA, HISTORY, SAFETY = VetoFault.DATA_LOSS, VetoFault.HISTORY_REWRITE, VetoFault.SAFETY_OFF
HARMS: Final = (
    Harm(DATA, _TAKE, LIVE_HEADS, LIVE, is_told=True),
    Harm(DATA, _TAKE, said=frozenset((IN_LIVE,))),
    Harm(DATA, _DESTROY, STORES | _STRUCTURES | _MACHINES, is_told=True),
    Harm(DATA, word_set("format wipe erase"), word_set("disk drive volume server")),
    Harm(DATA, _TAKE - {"format", "reset"}, word_set("database databases backups bucket buckets")),
    Harm(DATA, word_set("remove empty clear"), word_set("table")),
    Harm(DATA, word_set("drop"), word_set("column")),
    Harm(DATA, _DESTROY, DATA_OWNERS | LIVE),
    Harm(DATA, _DESTROY, word_set("branch"), word_set("main master trunk production")),
    Harm(DATA, _DESTROY, word_set("user customer account record row"), word_set("every each")),
    Harm(DATA, _DESTROY, DATA_HEADS, frozenset((OUT_OF_DATA,))),
    Harm(DATA, _TAKE_ALL, DATA_HEADS | DATA_OWNERS, QUANTIFIERS),
    Harm(DATA, _TAKE_ALL, word_set("everything")),
    Harm(DATA, _DESTROY | {"remove"}, _BRANCHES, QUANTIFIERS),
    Harm(HISTORY, _DESTROY | {"overwrite", "remove"}, word_set("history"), word_set("git commit")),
    Harm(HISTORY, word_set("rewrite"), word_set("history")),
    Harm(SAFETY, word_set(WEAKENING_VERBS), GUARDS_OF_SAFETY | TEST_SUITES | {"backups"}),
    Harm(SAFETY, _DROP, GUARDS_OF_SAFETY),
    Harm(SAFETY, _DROP, TEST_SUITES, FAILING),
)
"""What is vetoed beside command lines and force pushes. The first line that fits sets the code."""

SENSITIVE: Final = word_set("""
    billing payment payments money refund refunds refunded refunding charge charges charged charging
    invoice invoices payout payouts payroll
""")
CAREFUL: Final = word_set("""
    config configuration configs env environment secret secrets credential credentials deploy deploys
    deployed deployment deployments release releases permission permissions
""")
SENT_OUT: Final = word_set("email emails mail mails sms notification notifications newsletter newsletters")

# --- criteria ---

ANCHORS: Final = word_set("should must shall given when then expect expects expected")
OBSERVED: Final = word_set("""
    accepts contains displays emits equals exits fails gives has is logs matches prints raises redirects
    rejects renders responds returns shows throws writes
""")
UNTESTABLE: Final = word_set("""
    amazing appropriately attractive awesome beautiful better convenient easily easy efficient
    efficiently elegant fast faster flexible friendly intuitive intuitively maintainable modern nice
    nicely nicer optimal optimally performant pleasant polished pretty properly quick quickly quicker
    readable reasonable reasonably reliable robust scalable seamless seamlessly slick smooth smoothly
    suitable user-friendly
""")

# --- pages and what is behind them ---

UI_NOUNS: Final = word_set("""
    ui ux screen page view form modal dialog button card tile header footer nav navbar navigation
    sidebar menu dropdown drop-down tab panel layout component icon tooltip toast banner badge avatar
    label checkbox radio toggle switch stepper wizard popup carousel accordion spinner placeholder
""")
WEAK_UI_NOUNS: Final = word_set(
    "header headers label labels toggle toggles view views tab tabs dropdown dropdowns"
)
"""Words that mean something behind a page as often as on it. One of them alone decides nothing."""
UI_STYLES: Final = word_set("""
    color colors colour colours css scss tailwind padding margin margins spacing font fonts typography
    responsive theme themes theming shadow border borders rounded border-radius redesign redesigned
    restyle restyled stylesheet dark-mode light-mode mobile-view mobile-layout look-and-feel hover
""")
UI_PHRASES: Final = (
    ("dark", "mode"),
    ("light", "mode"),
    ("mobile", "view"),
    ("mobile", "layout"),
    ("look", "and", "feel"),
    ("user", "interface"),
    ("border", "radius"),
)
NOT_UI_BEFORE: Final = {
    "view": word_set("table sql materialized materialised database db model"),
    "page": word_set("memory code man per next"),
    "form": word_set("short long normal canonical base any some"),
    "header": word_set("http request response authorization auth file csv license licence cache packet"),
    "label": word_set("metric kubernetes k8s issue git pr prometheus docker"),
    "card": word_set("credit debit payment bank sim gift"),
    "toggle": word_set("feature"),
    "switch": word_set("network feature kill context"),
    "layout": word_set("memory directory folder file repo project package struct disk data module"),
    "component": word_set("software test"),
    "tab": word_set("leading trailing"),
    "placeholder": word_set("sql bind query"),
    "margin": word_set("profit error safety gross"),
}
NOT_UI_AFTER: Final = {
    "view": word_set("function model class migration the a an their all logs"),
    "page": word_set("size token fault table number cache count cursor limit"),
    "form": word_set("of feed factor a the"),
    "header": word_set("row line value file parser name injection guard only"),
    "label": word_set("selector selectors encoder the a an all"),
    "card": word_set("number numbers payment payments network issuer"),
    "tab": word_set("character characters width size stop separated completion"),
    "switch": word_set("statement statements case cases block to from between over off on the branch"),
    "toggle": word_set("the a an off on"),
    "shadow": word_set("copy table traffic deploy dom variable variables"),
    "rounded": word_set("to up down half value values"),
    "placeholder": word_set("values value"),
}
"""A word of a page beside one of these means something else."""

BACKEND_WORDS: Final = word_set("""
    endpoint endpoints api apis route routes controller controllers service services migration
    migrations schema schemas table tables column columns index indexes query queries queue queues job
    jobs worker workers webhook webhooks policy policies gate gates command commands cron broadcast
    event events listener listeners backend database graphql middleware sql
""")
NOT_BACKEND_BEFORE: Final = {
    "policy": word_set("privacy cookie"),
    "service": word_set("customer"),
    "event": word_set("click hover mouse touch scroll keyboard key resize focus blur"),
    "events": word_set("click hover mouse touch scroll keyboard key resize focus blur"),
    "worker": word_set("service"),
    "index": word_set("z tab"),
}
NOT_BACKEND_AFTER: Final = {
    "index": word_set("page"),
    "command": word_set("palette"),
    "job": word_set("title titles"),
    "table": word_set("header headers row rows cell cells component footer"),
    "column": word_set("header headers width"),
    "service": word_set("worker"),
    "event": word_set("page card"),
}

TRIVIAL_SETTERS: Final = "make change update set swap turn"
TRIVIAL_THINGS: Final = word_set("""
    primary secondary color colour copy text label wording class prop caption title typo red green blue
    yellow orange purple pink black white grey gray teal cyan magenta brown navy
""")
TRIVIAL_VERBS: Final = "rename relabel tweak adjust swap change"
ADDING: Final = word_set("""
    add adds adding added create creates creating created new build builds building introduce introduces
    introducing implement implements implementing scaffold scaffolds
""")
IMPROVE_VERBS: Final = "improve polish redesign rework refine refactor tighten clean fix update tune restyle"
BUILD_VERBS: Final = "add build create introduce implement ship draft scaffold wire"
PLACES: Final = word_set("page screen view component form modal tile dashboard")
FRESH: Final = frozenset(word_set("new fresh blank"))
PRESENT: Final = frozenset(word_set("existing current the"))

UI_ENDINGS: Final = word_set("css scss sass less tsx jsx vue svelte html htm blade.php")
