package import PushModel

/// An order from the master to a child. Grants are separate, in ``GrantFrame``, because they are the hot
/// path.
package enum LinkOrder: Equatable, Sendable {
    case welcome(WelcomeOrder)
    case account(AccountOrder)
    case job(JobOrder)
    /// The child returns messages that it has not submitted, waits for those in flight, and exits.
    case drain
    /// No more messages of this job will be sent to the child.
    case retireJob(JobID)
    /// The child returns messages of this account that it has not submitted.
    case recall(account: AccountID)
    /// The child contacts the gateway of this account immediately, regardless of any pause that the gateway
    /// or its token endpoint requested.
    case resume(account: AccountID)
    /// The child returns messages of this delivery that it has not submitted, begins no more requests for it,
    /// and reports how many it has begun: ``LinkReport/withdrawn(_:inFlight:)``.
    case withdraw(DeliveryID)
    /// No more messages of this account will be sent to the child. The child closes the account's connections
    /// as soon as none of its messages are in flight.
    case retireAccount(AccountID)
    /// The child reads the feedback service of this account completely.
    case pollFeedback(account: AccountID)
    /// The wall clock jumped. The child renews the credentials that contain a time from this clock. For the
    /// given number of seconds, the child does not use this clock to expire messages.
    case clockJumped(graceSeconds: UInt32)
    /// The lease ends at this moment on this machine's `CLOCK_BOOTTIME`. From then on, the child begins no
    /// request until it receives another lease.
    case lease(until: MonotonicTime)
}

/// The first order: how many messages this child may have, and for how long.
package struct WelcomeOrder: Equatable, Sendable {
    package var version: UInt8 = ChildLink.version
    package var generation: UInt32
    /// The maximum number of messages that may be granted but not yet committed at any time.
    package var capacity: UInt32
    /// The time after which a message that is still waiting in the child is returned unsent.
    package var maximumAgeSeconds: UInt32
    /// The child exits after it has had neither work nor an open connection for this long.
    package var idleSeconds: UInt32
    /// See ``LinkOrder/lease(until:)``. `nil` if no other host uses this store. In that case, no lease will
    /// follow.
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

/// How a child reaches a gateway, and the other settings from serverConf.xml that the gateway's connector
/// needs.
package struct GatewayOrder: Equatable, Sendable {
    /// The host to use in place of the gateway's own; empty if the gateway's own is used.
    package var address = ""
    package var port: UInt16 = 443
    /// PEM text of the certificate authorities to trust in place of the system's; empty if the system's are
    /// trusted.
    package var trustedCertificates = ""
    /// The HTTP proxy for all connections, which are made with CONNECT; `nil` for direct connections.
    package var proxy: ProxyOrder?
    /// The gateway's own settings: the JSON of the connector's ``ConnectorSettings``.
    package var settings: [UInt8] = []
    /// The secret that the gateway's operator gave to all senders; empty if there is none. Each account also
    /// has its own credential.
    package var secret = OpaqueCredential(bytes: [])
    package init() {}
}

/// An HTTP proxy between a child and the gateways.
package struct ProxyOrder: Equatable, Sendable, CustomStringConvertible {
    package var host: String
    package var port: UInt16
    /// The name of the user; empty if the proxy does not require one.
    package var user: String
    package var password: String
    package init(host: String, port: UInt16, user: String, password: String) {
        self.host = host
        self.port = port
        self.user = user
        self.password = password
    }
    /// Secrets are not printed.
    package var description: String { "\(host):\(port)" }
}

/// One delivery to one app: the data from which the payload template is compiled.
package struct JobOrder: Equatable, Sendable {
    package var job: JobID
    package var account: AccountID
    package var delivery: DeliveryID
    /// The priority of the job's grants. A child submits messages with a higher priority first.
    package var priority: DeliveryPriority
    package var platform: Platform
    package var bundleID: String
    package var messageIDFormat: MessageIDFormat
    package var tracking: Bool
    /// The time after which none of the job's messages are sent.
    package var expiresAt: WallTime
    /// Whether the gateway must not keep a message for a device that is unavailable.
    package var isNowOrNever: Bool
    package var variables: [AppVariable]
    package var contentJSON: [UInt8]

    /// The expiration that the gateway receives. 0 requests a single attempt.
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
