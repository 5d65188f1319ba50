/// Elements of a Campaign file with settings that this program does not use. Listing them allows a real file
/// to load without a warning for each of a hundred mail settings.
///
/// Source: Adobe's reference documentation of the file, and a file published in 2018.
struct CampaignElement: Sendable {
    let path: String
    let attributes: Set<Substring>
    /// Whether the element may contain attributes and elements that are not listed here. They are not
    /// examined.
    let isOpen: Bool

    /// - Parameter attributes: Names, separated by spaces.
    init(_ path: String, _ attributes: String = "", isOpen: Bool = false) {
        self.path = path
        self.attributes = Set(attributes.split(separator: " "))
        self.isOpen = isOpen
    }

    static let byPath: [String: CampaignElement] = Dictionary(
        all.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })

    /// The attributes that every Campaign process has.
    private static let process = master + "processRestartTime "
    private static let master = "args initScript maxProcessMemoryAlertMb maxProcessMemoryWarningMb runLevel "

    static let all: [CampaignElement] = shared + delivery + servers

    private static let shared: [CampaignElement] = [
        .init("shared/authentication", isOpen: true),
        .init("shared/cusHeaders", isOpen: true),
        .init(
            "shared/dataStore",
            "exportDirectory extraSandboxedDirectories formCacheTimeToLive hosts "
                + "interactionCacheTimeToLive lang uploadAllowlist uploadDirectory uploadWhitelist useVault "
                + "vaultSecretPath vaultTokenPath vaultUrl viewCacheTimeToLive workingDirectory"),
        .init("shared/dataStore/proxyAdjust", "urlBase urlRegEx"),
        .init("shared/dataStore/virtualDir", "name path"),
        .init(
            "shared/dataStore/dataSource/dbcnx",
            "NChar bulkCopyUtility dbSchema encrypted password timezone "
                + "unicodeData useTimestampTZ"),
        .init("shared/dataStore/dataSource/sqlParams", "funcPrefix"),
        .init("shared/dataStore/dataSource/sqlParams/postConnectSQL", isOpen: true),
        .init("shared/dataStore/dataSource/pool", "aliveTestDelaySec freeCnx maxCnx maxIdleDelaySec"),
        .init("shared/dnsConfig", "localDomain nameServers retry timeout"),
        .init("shared/exec", isOpen: true),
        .init("shared/htmlToPdf", isOpen: true),
        .init("shared/ims", isOpen: true),
        .init("shared/javaScript", isOpen: true),
        .init("shared/mailExchanger", isOpen: true),
        .init("shared/module", isOpen: true),
        .init("shared/monitoring", "maxPreparationJobsSec unixScript winScript"),
        .init("shared/ooconv", isOpen: true),
        .init("shared/threadPool", "maxThreadCount"),
        .init("shared/urlPermission", "action debugTrace"),
        .init("shared/urlPermission/url", "dnsSuffix urlRegEx"),
        .init("shared/xtkJobs", isOpen: true),
    ]

    private static let delivery: [CampaignElement] = [
        .init(
            "mta",
            master + "dataLogPath debugPath dnsRequestLogDelayMs errorPeriodSec logEmailErrors "
                + "minConnectionsToLog minErrorsToLog minMessagesToLog notifRelay purgeDataLogDelay "
                + "signEmailLinks statServerAddress statServerTLSSupport statServerVersion useMomentum "
                + "xMailer"),
        .init("mta/cache", "maxPeriodSec maxSizeOnDiskMb purgePeriodSec"),
        .init("mta/relay", "address port"),
        .init("mta/master", "dataBaseRetryDelaySec domainKeysReloadPeriodSec"),
        .init("mta/child", "extraArgs soapConnectorTimeoutSec startWithFirstMX"),
        .init("mta/child/smtp", "enableTLS idleSessionTimeoutSec initialDelaySec maxSessionsPerChild"),
        .init("mta/child/smtp/IPAffinity", "localDomain name"),
        .init(
            "mta/child/smtp/IPAffinity/IP", "address excludeDomains heloHost includeDomains publicId weight"),
    ]

    private static let servers: [CampaignElement] = [
        .init("archiving", isOpen: true),
        .init("inMail", isOpen: true),
        .init("interactiond", isOpen: true),
        .init("pipelined", isOpen: true),
        .init("predictive", isOpen: true),
        .init("repair", isOpen: true),
        .init("securityZone", isOpen: true),
        .init("sms", isOpen: true),
        .init("stat", process + "autoStart port"),
        .init("syslogd", process + "autoStart maxFileSizeMb maxNumberOfLoginsFiles"),
        .init(
            "tracking",
            process + "autoStart blockRedirectForUnsignedTrackingLink consolidationPeriodSec "
                + "dedupOpenPeriodMin errorIgnorePercent errorIgnorePeriod indicatorsDuration "
                + "logCountPerRequest phishbowlServiceAPIEndpoint phishbowlServiceAPIKey "
                + "phishbowlServiceEndpoint trackingIgnorePercent trackingIgnorePeriod userAgentCacheSize"),
        .init(
            "trackinglogd",
            process + "maxCreateFileRetry maxLogsSizeOnDiskMb maxSharedLogs purgeLogsPeriod "
                + "webTrackingParamSize"),
        .init(
            "web",
            process + "JVMOptions MaxThreads MinSpareThreads controlPort maxDeliveryQueueSize notifRelay "
                + "startSoapRouterInModule"),
        .init("web/jsp", "debug downloadPath foFileName soapRouter"),
        .init("web/jsp/classpath", isOpen: true),
        .init("web/jssp", "collectsGarbageAfterRequest timeToLive"),
        .init(
            "web/relay",
            "debugRelay forbiddenCharsInAuthority forbiddenCharsInPath modDir startRelay "
                + "startRelayInModule timeout"),
        .init(
            "web/relay/url",
            "IPMask deny hostMask httpAllowed relayHost relayPath status targetUrl timeout urlPath"),
        .init("web/relay/responseHeader", "name value"),
        .init(
            "web/redirection",
            "IMSOrgId P3PCompactPolicy cookieDomain databaseId defLogCount expirationURL "
                + "maxJobsInCache showSourceIP startRedirection startRedirectionInModule trackWebVisitors "
                + "trackingPassword"),
        .init("web/redirection/spareServer", "enabledIf id url"),
        .init("wfserver", isOpen: true),
    ]
}
