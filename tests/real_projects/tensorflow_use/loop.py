"""A function with a loop and a condition, which AutoGraph makes a graph of; prints the sum of even numbers to ten."""

import tensorflow as tf


@tf.function
def total(limit):
    found = tf.constant(0)
    for number in tf.range(limit):
        if number % 2 == 0:
            found += number
    return found


print(int(total(tf.constant(10))))
