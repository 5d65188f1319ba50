internal import Glibc

/// Measures, from /proc, the CPU time of each thread since the last call, and the memory of processes.
struct ProcessSampler {
    private struct Thread: Hashable {
        var process: Int32
        var thread: Int32
    }

    /// The CPU seconds of each thread when it was last seen.
    private var seen: [Thread: Double] = [:]

    /// - Parameter processes: The processes with their names in the report. Several processes may have the
    ///   same name.
    mutating func take(_ processes: [(name: String, processID: Int32)]) -> (
        cpu: [Sample.Stage: Double], memory: [String: Int]
    ) {
        var (cpu, memory, now) = ([Sample.Stage: Double](), [String: Int](), [Thread: Double]())
        for (name, processID) in processes {
            let tasks = "/proc/\(processID)/task"
            for number in Folder.names(in: tasks).compactMap(Int32.init) {
                // The first number in `schedstat` is the time on a core, in nanoseconds. The file `stat` is
                // not used, because it contains only hundredths of a second.
                let words = Folder.text("\(tasks)/\(number)/schedstat").split(separator: " ")
                guard let used = words.first.flatMap({ Double($0) }).map({ $0 / 1e9 }) else { continue }
                let key = Thread(process: processID, thread: number)
                now[key] = used
                let fresh = max(0, used - (seen[key] ?? 0))
                let stage = Folder.text("\(tasks)/\(number)/comm").firstLine
                if fresh > 0 { cpu[Sample.Stage(name, stage), default: 0] += fresh }
            }
            let pages = Folder.text("/proc/\(processID)/statm").split(separator: " ").dropFirst().first
            if let pages = pages.flatMap({ Int($0) }) {
                memory[name, default: 0] += pages * sysconf(Int32(_SC_PAGESIZE))
            }
        }
        seen = now
        return (cpu, memory)
    }
}
