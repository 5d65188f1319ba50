package import PushModel

/// What a master tells a child. Grants have their own file, ``GrantFrame``: they are the hot path.
package enum LinkOrder: Equatable, Sendable {
    case welcome(WelcomeOrder)
    case account(AccountOrder)
    case job(JobOrder)
    /// Give back what you have not submitted, wait for what is in flight, then end.
    case drain
    /// No message of this job will come again.
    case retireJob(JobID)
    /// Give back what you have not submitted of this account.
    case recall(account: AccountID)
    /// Ask the gateway of this account at once, whatever pause it or its token endpoint asked for.
    case resume(account: AccountID)
    /// Give back what you have not submitted of this delivery, begin no request of it any more, and say how
    /// many you have begun: ``LinkReport/withdrawn(_:inFlight:)``.
    case withdraw(DeliveryID)
    /// No message of this account will come again: close its connections when what is in flight has ended.
    case retireAccount(AccountID)
    /// Read the feedback service of this account to its end.
    case pollFeedback(account: AccountID)
    /// The wall clock jumped: renew what was dated by it, and end no validity by it for so long.
    case clockJumped(graceSeconds: UInt32)
    /// Begin no request from this moment on, by this machine's `CLOCK_BOOTTIME`, until another lease comes.
    case lease(until: MonotonicTime)
}

/// The first order: what this child may hold and how long.
package struct WelcomeOrder: Equatable, Sendable {
    package var version: UInt8 = ChildLink.version
    package var generation: UInt32
    /// Messages granted and not yet committed, at most.
    package var capacity: UInt32
    /// A message that waits longer in the child goes back unsent.
    package var maximumAgeSeconds: UInt32
    /// Without work and without an open connection, end after this.
    package var idleSeconds: UInt32
    /// As ``LinkOrder/lease(until:)``; nil: this host shares its store with nobody, and no lease will come.
    package var lease: MonotonicTime?
    package init(
        generation: UInt32, capacity: UInt32, maximumAgeSeconds: UInt32, idleSeconds: UInt32,
        lease: MonotonicTime? = nil
    ) {
        self.lease = lease
        self.generation = generation
        self.capacity = capacity
        self.maximumAgeSeconds = maximumAgeSeconds
        self.idleSeconds = idleSeconds
    }
}

/// An account: everything a child needs to open its own connections to one gateway with one credential.
package struct AccountOrder: Equatable, Sendable {
    package var account: AccountID
    package var connector: ConnectorName
    package var environment: PushEnvironment
    package var credential: OpaqueCredential
    package var gateway: GatewayOrder
    package init(
        account: AccountID, connector: ConnectorName, environment: PushEnvironment,
        credential: OpaqueCredential,
        gateway: GatewayOrder
    ) {
        self.account = account
        self.connector = connector
        self.environment = environment
        self.credential = credential
        self.gateway = gateway
    }
}

/// How a child reaches a gateway, and what the gateway's connector needs to know beside, from serverConf.xml.
package struct GatewayOrder: Equatable, Sendable {
    /// Overrides the gateway's own host; empty for none.
    package var address = ""
    package var port: UInt16 = 443
    /// PEM text of the authorities to trust beside the system's; empty for none.
    package var trustedCertificates = ""
    /// Every connection goes through it, by CONNECT; nil for directly.
    package var proxy: ProxyOrder?
    /// The gateway's own settings: the JSON of the connector's ``ConnectorSettings``.
    package var settings: [UInt8] = []
    /// What the gateway's operator gave all senders in common; empty for none. Accounts have credentials beside.
    package var secret = OpaqueCredential(bytes: [])
    package init() {}
}

/// An HTTP proxy between a child and the gateways.
package struct ProxyOrder: Equatable, Sendable, CustomStringConvertible {
    package var host: String
    package var port: UInt16
    /// Empty where the proxy asks for none.
    package var user: String
    package var password: String
    package init(host: String, port: UInt16, user: String, password: String) {
        self.host = host
        self.port = port
        self.user = user
        self.password = password
    }
    /// Secrets do not print.
    package var description: String { "\(host):\(port)" }
}

/// One delivery to one app: what a template is compiled from.
package struct JobOrder: Equatable, Sendable {
    package var job: JobID
    package var account: AccountID
    package var delivery: DeliveryID
    /// Of its grants: a child submits higher ones first.
    package var priority: DeliveryPriority
    package var platform: Platform
    package var bundleID: String
    package var messageIDFormat: MessageIDFormat
    package var tracking: Bool
    /// The time after which none of its messages is sent.
    package var expiresAt: WallTime
    /// Whether the gateway must not keep a message for a device that is away.
    package var isNowOrNever: Bool
    package var variables: [AppVariable]
    package var contentJSON: [UInt8]

    /// The expiration that the gateway receives: 0 asks for one attempt.
    package var gatewayExpiration: WallTime { isNowOrNever ? WallTime(secondsSince1970: 0) : expiresAt }

    package init(
        job: JobID, account: AccountID, delivery: DeliveryID, priority: DeliveryPriority = .normal,
        platform: Platform,
        bundleID: String, messageIDFormat: MessageIDFormat, tracking: Bool, expiresAt: WallTime,
        isNowOrNever: Bool = false, variables: [AppVariable], contentJSON: [UInt8]
    ) {
        self.job = job
        self.account = account
        self.delivery = delivery
        self.priority = priority
        self.platform = platform
        self.bundleID = bundleID
        self.messageIDFormat = messageIDFormat
        self.tracking = tracking
        self.expiresAt = expiresAt
        self.isNowOrNever = isNowOrNever
        self.variables = variables
        self.contentJSON = contentJSON
    }
}
