package dev.haltsql;

/**
 * What has to be bound to one parameter of an allowed text.
 *
 * @param param the {@code n} of {@code $n}
 * @param value one string, or several where the comparison is {@code = ANY($n)}
 * @param type {@code text}, {@code uuid} or {@code integer}, with {@code []} behind it for several
 */
public record BindParam(int param, BindValue value, String type) {
    static BindParam read(Answer answer) {
        int param = answer.number();
        BindValue value = answer.flag() ? new BindValue.Many(answer.texts()) : new BindValue.One(answer.text());
        return new BindParam(param, value, answer.text());
    }
}
