/// What a master is busy with, as `status` shows it and as it travels over the control socket.
package struct MasterStatus: Codable, Equatable, Sendable {
    package struct Child: Codable, Equatable, Sendable {
        package var pid: Int32
        /// Counts the children of this master's life from 1.
        package var generation: UInt32
        /// `working`, `draining` or `lost`.
        package var state: String
        /// Granted to it and not yet committed.
        package var outstanding: Int
        /// Of these, not yet handed to a gateway.
        package var waiting: Int
        /// Of these, handed over and not yet answered.
        package var inFlight: Int
        package var connections: Int
        package var residentKilobytes: Int

        package init(
            pid: Int32, generation: UInt32, state: String, outstanding: Int, waiting: Int, inFlight: Int,
            connections: Int, residentKilobytes: Int
        ) {
            self.pid = pid
            self.generation = generation
            self.state = state
            self.outstanding = outstanding
            self.waiting = waiting
            self.inFlight = inFlight
            self.connections = connections
            self.residentKilobytes = residentKilobytes
        }
    }
    package struct Account: Codable, Equatable, Sendable {
        package var name: String
        /// The name with the credential's mark: what the store knows it by.
        package var mark: String
        /// `working`, `waiting`, `probing` or `stopped`; `stalled`: working, and nothing came of its work for a
        /// minute.
        package var state: String
        /// Why it is not working, or stalled; empty where it works.
        package var reason: String
        /// Until a waiting account may try a single message; nil where no moment is set.
        package var secondsUntilProbe: Int?
        /// Its messages that are with children and not yet committed.
        package var outstanding: Int
        /// Of these, not answered yet; what is answered waits for its commit.
        package var granted: Int
        /// Messages that were answered a second, within the last ten.
        package var answersPerSecond: Double
        /// Of these, handed to its gateway and not yet answered, by all children.
        package var inFlight: Int
        /// How many may be in flight at present, by all children: what gateway and back-off leave of the
        /// settings.
        package var window: Int
        package var connections: Int
        /// What its quota allows a second now, in the ramp or after it; nil: it has no quota.
        package var ratePerSecond: Int?
        /// Processes of the children that have served it and live.
        package var children: [Int32]
        /// What went wrong of late, each different thing once, the latest first.
        package var troubles: [Trouble]
        /// When the wait of a waiting account ends, in seconds since 1970; probes go out before it. nil: it waits
        /// for no moment.
        package var waitEndsAt: Int64?
        /// Topics that its gateway refuses, while the account works.
        package var topics: [Topic]

        package init(
            name: String, mark: String, state: String, reason: String, secondsUntilProbe: Int?,
            outstanding: Int, inFlight: Int, window: Int, connections: Int, ratePerSecond: Int?,
            children: [Int32], granted: Int = 0, answersPerSecond: Double = 0, troubles: [Trouble],
            waitEndsAt: Int64? = nil, topics: [Topic] = []
        ) {
            self.waitEndsAt = waitEndsAt
            self.topics = topics
            self.name = name
            self.mark = mark
            self.state = state
            self.reason = reason
            self.secondsUntilProbe = secondsUntilProbe
            self.outstanding = outstanding
            self.granted = granted
            self.answersPerSecond = answersPerSecond
            self.inFlight = inFlight
            self.window = window
            self.connections = connections
            self.ratePerSecond = ratePerSecond
            self.children = children
            self.troubles = troubles
        }
    }
    /// A topic that a gateway refuses (an app's bundle id with the suffix of a push type), or an app that is in a
    /// storm while others share its account.
    package struct Topic: Codable, Equatable, Sendable {
        package var name: String
        /// `waiting`, `probing`, or of an app in a storm `stopped`.
        package var state: String
        package var reason: String
        /// The app that is in a storm; nil: the gateway refuses the topic.
        package var app: String?
        /// Until a single message may ask; nil if no moment is set.
        package var secondsUntilProbe: Int?
        /// Ranges of messages that wait for it.
        package var waitingRanges: Int

        package init(
            name: String, state: String, reason: String, app: String? = nil, secondsUntilProbe: Int?,
            waitingRanges: Int
        ) {
            self.name = name
            self.app = app
            self.state = state
            self.reason = reason
            self.secondsUntilProbe = secondsUntilProbe
            self.waitingRanges = waitingRanges
        }
    }
    /// Work is due and comes to nothing, or something needs a person.
    package struct Alarm: Codable, Equatable, Sendable {
        /// One of ``kinds``.
        package var kind: String
        /// The account's name, the topic and its account, the delivery's number; empty where it is about all.
        package var about: String
        /// One line: what, and what to do where that is known.
        package var cause: String
        /// How long it has lasted; 0 where nobody knows.
        package var seconds: Int

        package static let kinds = [
            "store", "account", "topic", "children", "delivery", "part", "clock", "key", "host",
        ]

        package init(kind: String, about: String = "", cause: String, seconds: Int) {
            self.kind = kind
            self.about = about
            self.cause = cause
            self.seconds = seconds
        }
    }
    package struct Trouble: Codable, Equatable, Sendable {
        /// Names no secret and no device.
        package var text: String
        package var count: Int
        /// The last time, in seconds since 1970.
        package var last: Int64

        package init(
            text: String, count: Int, last: Int64
        ) {
            self.text = text
            self.count = count
            self.last = last
        }
    }

    package var pid: Int32
    package var uptimeSeconds: Int
    /// `starting`, `running` or `draining`.
    package var state: String
    /// What a master that is starting waits for; nil: nothing that takes time.
    package var waitsFor: String?
    /// How old all this is: more than a second where the master does not answer.
    package var ageSeconds: Double
    /// How many operations it has carried out for others.
    package var operations: Int
    /// Messages whose outcome a crash now would leave unrecorded, at most: the bound on duplicates.
    package var unrecorded: Int
    /// Ranges of messages that wait for a child with credit.
    package var waitingRanges: Int
    /// What is wrong with the store, so that nothing of anybody goes on; nil: nothing.
    package var trouble: String?
    package var alarms: [Alarm]
    package var children: [Child]
    package var accounts: [Account]
    /// Where its web module listens, `127.0.0.1:8080`; nil: there is none.
    package var web: String?
    /// Since the host's lease was renewed last; nil where the store is one host's by its nature, or it has none yet.
    package var leaseAgeSeconds: Double?
    /// What it has counted; nil where another process asks.
    package var figures: MasterFigures?

    /// What travels.
    private enum CodingKeys: CodingKey {
        case pid, uptimeSeconds, state, waitsFor, ageSeconds, operations, unrecorded, waitingRanges, trouble
        case alarms, children, accounts, web, leaseAgeSeconds
    }

    package init(
        pid: Int32, uptimeSeconds: Int, state: String, waitsFor: String? = nil, ageSeconds: Double = 0,
        operations: Int = 0, unrecorded: Int, waitingRanges: Int, trouble: String? = nil,
        alarms: [Alarm] = [], children: [Child], accounts: [Account]
    ) {
        self.pid = pid
        self.uptimeSeconds = uptimeSeconds
        self.state = state
        self.waitsFor = waitsFor
        self.ageSeconds = ageSeconds
        self.operations = operations
        self.unrecorded = unrecorded
        self.waitingRanges = waitingRanges
        self.trouble = trouble
        self.alarms = alarms
        self.children = children
        self.accounts = accounts
    }
}

extension MasterStatus {
    /// A master that was started before an update answers as its version does.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        pid = try values.decode(Int32.self, forKey: .pid)
        uptimeSeconds = try values.decode(Int.self, forKey: .uptimeSeconds)
        state = try values.decode(String.self, forKey: .state)
        waitsFor = try values.decodeIfPresent(String.self, forKey: .waitsFor)
        ageSeconds = try values.decodeIfPresent(Double.self, forKey: .ageSeconds) ?? 0
        operations = try values.decodeIfPresent(Int.self, forKey: .operations) ?? 0
        unrecorded = try values.decode(Int.self, forKey: .unrecorded)
        waitingRanges = try values.decode(Int.self, forKey: .waitingRanges)
        trouble = try values.decodeIfPresent(String.self, forKey: .trouble)
        alarms = try values.decodeIfPresent([Alarm].self, forKey: .alarms) ?? []
        children = try values.decode([Child].self, forKey: .children)
        accounts = try values.decode([Account].self, forKey: .accounts)
        web = try values.decodeIfPresent(String.self, forKey: .web)
        leaseAgeSeconds = try values.decodeIfPresent(Double.self, forKey: .leaseAgeSeconds)
    }
}

extension MasterStatus.Account {
    /// A master that was started before an update answers as its version does: what it does not say is empty.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decode(String.self, forKey: .name)
        state = try values.decode(String.self, forKey: .state)
        reason = try values.decode(String.self, forKey: .reason)
        mark = try values.decodeIfPresent(String.self, forKey: .mark) ?? ""
        secondsUntilProbe = try values.decodeIfPresent(Int.self, forKey: .secondsUntilProbe)
        outstanding = try values.decodeIfPresent(Int.self, forKey: .outstanding) ?? 0
        granted = try values.decodeIfPresent(Int.self, forKey: .granted) ?? outstanding
        answersPerSecond = try values.decodeIfPresent(Double.self, forKey: .answersPerSecond) ?? 0
        inFlight = try values.decodeIfPresent(Int.self, forKey: .inFlight) ?? 0
        window = try values.decodeIfPresent(Int.self, forKey: .window) ?? 0
        connections = try values.decodeIfPresent(Int.self, forKey: .connections) ?? 0
        ratePerSecond = try values.decodeIfPresent(Int.self, forKey: .ratePerSecond)
        children = try values.decodeIfPresent([Int32].self, forKey: .children) ?? []
        troubles = try values.decodeIfPresent([MasterStatus.Trouble].self, forKey: .troubles) ?? []
        waitEndsAt = try values.decodeIfPresent(Int64.self, forKey: .waitEndsAt)
        topics = try values.decodeIfPresent([MasterStatus.Topic].self, forKey: .topics) ?? []
    }
}
