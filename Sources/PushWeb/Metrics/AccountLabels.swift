internal import PushModel
internal import PushWire
internal import Synchronization

/// Which accounts have a name of their own as a label: the first ``MasterFigures/mostAccounts`` that are
/// seen, so that the number of series is bounded and none changes its name.
final class AccountLabels: Sendable {
    private let names = Mutex<[String: String]>([:])

    func label(of account: String) -> String {
        names.withLock { names in
            if let known = names[account] { return known }
            guard names.count < MasterFigures.mostAccounts else { return MasterFigures.others }
            let label = account.printable(atMost: 200)
            names[account] = label
            return label
        }
    }

    /// Figures by label, those of one label summed up, in the labels' order.
    func sums<Figure: AdditiveArithmetic>(_ figures: some Sequence<(String, Figure)>) -> [(String, Figure)] {
        var sums: [String: Figure] = [:]
        for (account, figure) in figures { sums[label(of: account), default: .zero] += figure }
        return sums.sorted { $0.key < $1.key }
    }
}
