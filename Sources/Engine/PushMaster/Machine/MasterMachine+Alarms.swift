internal import Logging
internal import PushModel
internal import PushSchedule
internal import PushWire

/// The current alarms for the operator. Each alarm was also logged when it began.
extension MasterMachine {
    /// The time for which a part counts as not addressable after the reader last reported it.
    private static let unaddressableSeconds: Int64 = 150

    /// The text that follows the description of the trouble with the key file. That description contains the
    /// remedy.
    static let keyDeadline =
        "do this before this process ends; until then, it continues with the key in memory"

    var alarms: [MasterStatus.Alarm] {
        guard drainDeadline == nil else { return [] }
        return storeAlarms + diskAlarms + accountAlarms + topicAlarms + otherAlarms
    }

    private var storeAlarms: [MasterStatus.Alarm] {
        guard let failure = stalls.engineFailure(at: now) else {
            return pollFailure.map { cause in
                [MasterStatus.Alarm(kind: "store", cause: cause, seconds: Int(secondsWithoutPoll ?? 0))]
            } ?? []
        }
        return [
            MasterStatus.Alarm(kind: "store", cause: failure, seconds: Int(stalls.secondsWaited(at: now)))
        ]
    }

    private var diskAlarms: [MasterStatus.Alarm] {
        lowDisks.sorted { $0.key < $1.key }.map { folder, disk in
            MasterStatus.Alarm(
                kind: "disk", about: folder.printable(atMost: 1_000), cause: "\(disk.space)",
                seconds: Int(now.milliseconds(since: disk.since) / 1_000))
        }
    }

    /// Detects file systems with little free space before a write fails.
    mutating func checkDisks(_ disks: [DiskSpace]) {
        let before = lowDisks
        lowDisks = [:]
        for disk in disks where disk.isLow(wasLow: before[disk.folder] != nil) {
            lowDisks[disk.folder] = (disk, before[disk.folder]?.since ?? now)
            if before[disk.folder] == nil {
                log(.error, "the disk of \(disk.folder.printable(atMost: 1_000)) is nearly full: \(disk)")
            }
        }
        for folder in before.keys.sorted() where lowDisks[folder] == nil {
            log(.notice, "the disk of \(folder.printable(atMost: 1_000)) is no longer nearly full")
        }
    }

    private var accountAlarms: [MasterStatus.Alarm] {
        accounts.keys.filter { stalls.rule.isStalled(.account($0)) }.sorted().map { id in
            MasterStatus.Alarm(
                kind: "account", about: name(of: id), cause: stallReason(of: id),
                seconds: Int(stalls.rule.secondsWaited(.account(id), at: now)))
        }
    }

    /// Returns the text. If the text contains the reason, the reason's explanation follows.
    func explained(_ text: String, by reason: String, of account: AccountID) -> String {
        guard !reason.isEmpty, text.contains(reason), let connector = accounts[account]?.order.connector
        else { return text }
        return text.followed(by: settings.explanation(of: reason, through: connector))
    }

    private var otherAlarms: [MasterStatus.Alarm] {
        var alarms: [MasterStatus.Alarm] = []
        if let (why, since) = keyFailure {
            alarms.append(
                MasterStatus.Alarm(
                    kind: "key", cause: "\(why); \(Self.keyDeadline)",
                    seconds: Int(now.milliseconds(since: since) / 1_000)))
        }
        if staffing.isThrottled {
            alarms.append(
                MasterStatus.Alarm(
                    kind: "children",
                    cause:
                        """
                        children end before they do any work (\(stalls.childFailure)); \
                        \(Self.throttlingAdvice)
                        """,
                    seconds: 0))
        }
        let grace = clock.graceSeconds(at: now)
        if grace > 0 {
            alarms.append(
                MasterStatus.Alarm(
                    kind: "clock",
                    cause: """
                        the wall clock jumped: no message will expire for \(grace) s; check the time \
                        service
                        """,
                    seconds: Int(ClockWatch.graceSeconds - grace)))
        }
        if let seconds = clockAheadSeconds {
            alarms.append(
                MasterStatus.Alarm(
                    kind: "clock",
                    cause: """
                        the clocks of this machine and of the database server differ by \(seconds) s, which \
                        affects when messages are due and when they expire; check the time service
                        """,
                    seconds: 0))
        }
        for host in lateHosts {
            alarms.append(
                MasterStatus.Alarm(
                    kind: "host", about: host.name, cause: host.description, seconds: Int(host.seconds)))
        }
        for (why, last) in unaddressable.sorted(by: { $0.key < $1.key })
        where now < last.advanced(bySeconds: Self.unaddressableSeconds) {
            alarms.append(MasterStatus.Alarm(kind: "part", cause: "messages wait: \(why)", seconds: 0))
        }
        if restored > 0 {
            let deliveries =
                restored == 1
                ? "1 delivery has been" : "\(Numerals.grouped(restored)) deliveries have been"
            alarms.append(
                MasterStatus.Alarm(
                    kind: "delivery",
                    cause:
                        """
                        \(deliveries) HELD since a backup was restored; run pushmta delivery release ID, \
                        or --all
                        """,
                    seconds: 0))
        }
        return alarms
            + damaged.sorted().map { delivery in
                MasterStatus.Alarm(
                    kind: "delivery", about: "\(delivery)",
                    cause: "it is damaged and held; run pushmta delivery recount \(delivery)", seconds: 0)
            }
    }
}
