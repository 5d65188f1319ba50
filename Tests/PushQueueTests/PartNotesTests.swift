import PushModel
import PushQueue
import TestSupport
import Testing

@Suite struct PartNotesTests {
    @Test func `notes are found by message, and the last note for a message counts`() {
        let notes = PartNotes([
            PartNote(index: 9, attempts: 2), PartNote(index: 3, attempts: 1), PartNote(index: 9, attempts: 5),
        ])
        #expect(notes.count == 2)
        #expect(notes[9]?.attempts == 5)
        #expect(notes[3]?.attempts == 1)
        #expect(notes[4] == nil && notes[10] == nil && notes[-1] == nil)
        #expect(PartNotes()[0] == nil)
    }

    @Test func `impossible numbers of attempts become the nearest possible ones`() {
        #expect(PartNote(index: 0, attempts: .max).attempts == 1_000_000)
        #expect(PartNote(index: 0, attempts: -1).attempts == 0)
        var part = PartNotes([PartNote(index: -7, attempts: 3), PartNote(index: .max, attempts: 3)])
        part = part.replacing([PartNote(index: 2, attempts: 2)])
        #expect(part.notes.map(\.index) == [-7, 2, .max])
    }

    @Test func `changed notes replace earlier notes for the same messages`() {
        var random = SeededRandom(seed: 5)
        for _ in 0..<200 {
            var plain: [Int: PartNote] = [:]
            func draw(_ attempts: Int) -> ContiguousArray<PartNote> {
                ContiguousArray(
                    Set((0..<random.below(8)).map { _ in random.below(12) }).sorted().map {
                        PartNote(index: $0, attempts: attempts, due: noon)
                    })
            }
            let (old, new) = (draw(1), draw(2))
            for note in old + new { plain[note.index] = note }
            let notes = PartNotes(old).replacing(new)
            #expect(Array(notes.notes) == plain.values.sorted { $0.index < $1.index })
        }
    }
}
