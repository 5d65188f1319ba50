import PushModel
import PushSchedule
import PushWire

/// What is on disk in a master's made-up days.
struct MasterStoryStore {
    var parts: [Part] = []
    var sent: Set<Int64> = []
    var messages = 0

    func pending(_ range: ClosedRange<MessageID>) -> [Int64] {
        (range.lowerBound.rawValue...range.upperBound.rawValue).filter { !sent.contains($0) }
    }
}

/// A child process and its link.
struct StoryChild {
    var accounts: Set<AccountID> = []
    var jobs: [JobID: JobOrder] = [:]
    var held: [(grant: GrantID, message: Int64)] = []
    /// What it said and nobody has read yet.
    var said: [LinkFrame] = []
    var isDraining = false
    var isDead = false
}
