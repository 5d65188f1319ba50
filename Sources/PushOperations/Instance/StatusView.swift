package import PushConfig
package import PushModel
internal import PushStore
package import PushWire

/// What `status` shows.
package struct StatusView: View, Equatable {
    /// The store's file.
    package var store: String
    package var running: Bool
    /// A rehearsal: every message counts as sent and none is.
    package var verifyMode: Bool
    /// nil where none runs.
    package var master: MasterView?
    /// Those that have not ended.
    package var deliveries: [DeliveryView]
    /// Those that are held because their rows are damaged.
    package var damaged: [DamagedDeliveryView]
    /// Of accounts that have something to do.
    package var queues: [QueueView]
    /// Verdicts about tokens that wait.
    package var waitingVerdicts: [WaitingVerdictsView] = []
    /// Receivers of events.
    package var webhooks: [WebhookView]
    /// What the store takes; nil where it could not be asked.
    package var size: StoreSizeView?
    /// Those that share the store, this one too; none where it is one host's by its nature.
    package var hosts: [HostView] = []
    /// Why the store could not be asked for deliveries: nothing is said of them then. nil: it was.
    package var storeTrouble: String?
}

extension StatusView {
    /// What a master says where the store itself cannot be read.
    /// - Parameter store: its name.
    package init(
        of master: MasterStatus, store: String, settings: ServerConfiguration, unreadable trouble: any Error
    ) {
        self.init(
            store: store, running: true, verifyMode: settings.mta.verifyMode, master: MasterView(master),
            deliveries: [], damaged: [], queues: QueueView.all(of: master), webhooks: [],
            storeTrouble: "\(trouble)")
    }
}

/// What the store takes, as it is shown.
package struct StoreSizeView: View, Equatable {
    package var bytes: Int
    /// Of these, what is used before the store grows; nil: its server does not say.
    package var freeBytes: Int?
    /// What the disk has left for it; nil: a server's is not known.
    package var diskFreeBytes: Int?
    /// Of SQLite's log beside it.
    package var logBytes: Int
    /// What a million messages take, as the newest do; nil where there is none.
    package var bytesPerMillionMessages: Int?

    init(_ size: StoreSize) {
        (bytes, freeBytes, logBytes) = (size.bytes, size.freeBytes, size.logBytes)
        diskFreeBytes = size.diskFreeBytes
        bytesPerMillionMessages = size.bytesPerMillionMessages
    }
}

/// A running master as it is shown.
package struct MasterView: View, Equatable {
    package struct Child: View, Equatable {
        package var pid: Int32
        /// Counts the children of this master's life from 1.
        package var generation: UInt32
        package var state: String
        package var outstanding: Int
        package var waiting: Int
        package var inFlight: Int
        package var connections: Int
        package var residentKilobytes: Int

        init(_ child: MasterStatus.Child) {
            pid = child.pid
            generation = child.generation
            state = child.state
            outstanding = child.outstanding
            waiting = child.waiting
            inFlight = child.inFlight
            connections = child.connections
            residentKilobytes = child.residentKilobytes
        }
    }

    package var pid: Int32
    package var uptimeSeconds: Int
    /// `starting`, `running` or `draining`.
    package var state: String
    /// What a master that is starting waits for.
    package var waitsFor: String?
    /// How old all this is: more than a second where the master does not answer.
    package var ageSeconds: Double
    /// How many operations it has carried out for commands.
    package var operations: Int
    /// Where its web module listens, `127.0.0.1:8080`; nil: it has none.
    package var web: String?
    package var unrecorded: Int
    /// Messages that were answered a second, within the last ten.
    package var answersPerSecond: Double
    package var waitingRanges: Int
    /// What is wrong with the store, so that nothing of anybody goes on; nil: nothing.
    package var trouble: String?
    /// What an operator is to be woken for.
    package var alarms: [Alarm]
    package var children: [Child]
    package var accounts: [AccountView]

    /// See `MasterStatus.Alarm`.
    package struct Alarm: View, Equatable {
        package var kind: String
        package var about: String
        package var cause: String
        package var seconds: Int

        init(_ alarm: MasterStatus.Alarm) {
            (kind, about, cause, seconds) = (alarm.kind, alarm.about, alarm.cause, alarm.seconds)
        }
    }

    init(_ status: MasterStatus) {
        pid = status.pid
        uptimeSeconds = status.uptimeSeconds
        state = status.state
        waitsFor = status.waitsFor
        ageSeconds = status.ageSeconds
        operations = status.operations
        web = status.web
        unrecorded = status.unrecorded
        answersPerSecond = status.accounts.reduce(0) { $0 + $1.answersPerSecond }
        waitingRanges = status.waitingRanges
        trouble = status.trouble
        alarms = status.alarms.map(Alarm.init)
        children = status.children.map(Child.init)
        accounts = status.accounts.map(AccountView.init)
    }
}

/// An account as it is shown: see `MasterStatus.Account`.
package struct AccountView: View, Equatable {
    package struct Trouble: View, Equatable {
        package var text: String
        package var count: Int
        package var lastAt: WallTime

        init(_ trouble: MasterStatus.Trouble) {
            text = trouble.text
            count = trouble.count
            lastAt = WallTime(secondsSince1970: trouble.last)
        }
    }

    package var name: String
    package var state: String
    /// Why it is not working; empty where it is.
    package var reason: String
    package var mark: String
    package var secondsUntilProbe: Int?
    package var outstanding: Int
    package var granted: Int
    package var answersPerSecond: Double
    package var inFlight: Int
    package var window: Int
    package var connections: Int
    package var ratePerSecond: Int?
    package var children: [Int32]
    package var troubles: [Trouble]
    /// When the wait ends, if it waits; probes go out before.
    package var waitEndsAt: WallTime?
    /// Topics that its gateway refuses, and apps in a storm; everything else of the account continues.
    package var topics: [Topic]

    package struct Topic: View, Equatable {
        package var name: String
        package var state: String
        package var reason: String
        /// The app that is in a storm, if it is no refused topic.
        package var app: String?
        package var secondsUntilProbe: Int?
        package var waitingRanges: Int

        init(_ topic: MasterStatus.Topic) {
            (name, state, reason, app) = (topic.name, topic.state, topic.reason, topic.app)
            (secondsUntilProbe, waitingRanges) = (topic.secondsUntilProbe, topic.waitingRanges)
        }
    }

    init(_ account: MasterStatus.Account) {
        name = account.name
        state = account.state
        reason = account.reason
        mark = account.mark
        secondsUntilProbe = account.secondsUntilProbe
        outstanding = account.outstanding
        granted = account.granted
        answersPerSecond = account.answersPerSecond
        inFlight = account.inFlight
        window = account.window
        connections = account.connections
        ratePerSecond = account.ratePerSecond
        children = account.children
        troubles = account.troubles.map(Trouble.init)
        waitEndsAt = account.waitEndsAt.map(WallTime.init(secondsSince1970:))
        topics = account.topics.map(Topic.init)
    }
}
