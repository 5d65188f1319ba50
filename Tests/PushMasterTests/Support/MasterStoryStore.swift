import PushModel
import PushSchedule
import PushWire

/// The state on disk in the random simulation of a master.
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
    /// Frames that the child has sent and that the loop has not read yet.
    var said: [LinkFrame] = []
    var isDraining = false
    var isDead = false
}
